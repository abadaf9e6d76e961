package export

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Processes have the ten metrics of nvitop-exporter, in base units. What is unknown has no sample, and a process that
// a hostile node lists twice has one.
func TestPrometheusProcesses(t *testing.T) {
	known := wire.Process{PID: 7, GPU: 0, Type: "C", GPUMemory: new(uint64(1 << 30)), SMPercent: new(50),
		MemPercent: new(25), EncPercent: new(0), DecPercent: new(1), CPUPercent: new(150.0), RSS: new(uint64(512)),
		ElapsedSec: new(int64(60))}
	known.User, known.Name, known.Command, known.Job = "alice", "py\"thon", "python --key SECRET", "12"
	known.Rank = &wire.Rank{Rank: 3}
	s := oneNode(&wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "a"}}}, &wire.Report{
		Host:      wire.Host{Values: metric.Make(map[metric.ID]float64{metric.HostMemoryTotal: 1024})},
		GPUs:      []wire.GPU{{Index: 0}},
		Listed:    true,
		Processes: []wire.Process{known, known, {PID: 8, GPU: 0, Type: "G"}, {PID: 9, GPU: 5}},
	})
	var out bytes.Buffer
	if err := PrometheusProcesses(&out, s, OwnNames); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "SECRET") {
		t.Error("a command line is a label")
	}
	values := decode(t, out.Bytes())
	at := " node=n1 gpu=0 pid=7"
	want := map[string]float64{
		"nvnodetop_process_info" + at + " user=alice name=py\"thon type=C job=12 rank=3": 1,
		"nvnodetop_process_info node=n1 gpu=0 pid=8 type=G":                              1,
		"nvnodetop_process_running_seconds" + at:                                         60,
		"nvnodetop_process_cpu_ratio" + at:                                               1.5,
		"nvnodetop_process_resident_memory_bytes" + at:                                   512,
		"nvnodetop_process_memory_ratio" + at:                                            0.5,
		"nvnodetop_process_gpu_memory_bytes" + at:                                        1 << 30,
		"nvnodetop_process_gpu_sm_utilization_ratio" + at:                                0.5,
		"nvnodetop_process_gpu_memory_utilization_ratio" + at:                            0.25,
		"nvnodetop_process_gpu_encoder_utilization_ratio" + at:                           0,
		"nvnodetop_process_gpu_decoder_utilization_ratio" + at:                           0.01,
	}
	if fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("%v\nwant\n%v", values, want)
	}
	if said := promtool(t, out.Bytes()); said != "" {
		t.Errorf("promtool: %s", said)
	}
	out.Reset()
	if err := PrometheusProcesses(&out, &cluster.Snapshot{}, OwnNames); err != nil || out.Len() > 0 {
		t.Errorf("of nothing: %v, %q", err, out.String())
	}
}
