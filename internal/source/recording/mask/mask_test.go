package mask

import (
	"reflect"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A number from SLURM leads to a user: another number takes its place, the same everywhere.
func TestAnonymousNumbers(t *testing.T) {
	m := New()
	for _, c := range []struct{ real, want string }{
		{"48211", "1"}, {"48300_7", "2_7"}, {"48211", "1"}, {"48300_[8-99%4]", "2_[8-99%4]"}, {"48307", "3"},
		{"48211+1", "1+1"}, {"", ""},
		{"48211.alice", "1"}, {"alice", "4"}, {"48300_alice", "2"},
	} {
		if got := m.replaceNumber(c.real); got != c.want {
			t.Errorf("%q became %q, want %q", c.real, got, c.want)
		}
	}
	hello := m.Event(cluster.Event{Hello: &wire.Hello{Job: "48211"}}).Hello
	report := m.Event(cluster.Event{Report: &wire.Report{Jobs: []wire.JobMemory{{Job: "48211"}},
		Processes: []wire.Process{{Identity: wire.Identity{Job: "48307", Step: "batch"}}}}}).Report
	if hello.Job != "1" || report.Jobs[0].Job != "1" || report.Processes[0].Job != "3" ||
		report.Processes[0].Step != "batch" {
		t.Errorf("%+v, %+v", hello, report)
	}
}

// SLUIDs lead to users, too. All nodes of a job have the same SLUID, also after each new Hello.
func TestAnonymousSLUIDs(t *testing.T) {
	m := New()
	for _, step := range [][2]string{{"sEKNKTV3WPV500", "sluid1"}, {"sEKNKTV3WPV501", "sluid2"},
		{"sEKNKTV3WPV500", "sluid1"}, {"", ""}} {
		if got := m.maskHello(wire.Hello{SLUID: step[0]}).SLUID; got != step[1] {
			t.Errorf("%q becomes %q, want %q", step[0], got, step[1])
		}
	}
}

// A version or the name of a variable from a node may be any text. A text that looks right stays.
func TestAnonymousTextsOfANode(t *testing.T) {
	m := New()
	hello := m.maskHello(wire.Hello{
		Kernel: "5.14.0-427.el9.alice.x86_64", Driver: "550.54.15", CUDA: "12.4", System: "linux/amd64",
		Missing: []string{"nvmlDeviceGetX_v2", "alice"},
		GPUs: []wire.Card{{
			Name: "NVIDIA H100 80GB HBM3", PCIBus: "00000000:1B:00.0", VBIOS: "96.00.74.00.01", Capability: "9.0",
			Serial: "1",
			Absent: map[string][]string{"Not Supported": {"fan_percent", wire.AbsentXids, "alice"},
				"the home of alice is full": {"power_watts"}},
		}, {Name: "alice's GPU"}},
	})
	first := hello.GPUs[0]
	want := map[string][]string{"Not Supported": {"fan_percent", wire.AbsentXids}, "other": {"power_watts"}}
	if !reflect.DeepEqual(first.Absent, want) || first.Name != "NVIDIA H100 80GB HBM3" || first.PCIBus == "" ||
		first.VBIOS == "" || first.Capability != "9.0" || first.Serial != "" {
		t.Errorf("%+v", first)
	}
	if hello.Kernel != "5.14.0" || hello.Driver != "550.54.15" || hello.CUDA != "12.4" ||
		hello.System != "linux/amd64" || len(hello.Missing) != 1 || hello.GPUs[1].Name != "GPU model 1" {
		t.Errorf("%+v", hello)
	}
	report := m.maskReport(wire.Report{
		Faults: []wire.Fault{{Collector: "processes"}, {Collector: "alice"}},
		Processes: []wire.Process{{Type: "C+G",
			Identity: wire.Identity{Step: "0", Rank: &wire.Rank{From: "SLURM_PROCID"}}},
			{Type: "alice", Identity: wire.Identity{Step: "alice", Rank: &wire.Rank{From: "alice"}}}},
	})
	if report.Faults[0].Collector != "processes" || report.Faults[1].Collector != "other" ||
		report.Processes[0].Type != "C+G" || report.Processes[0].Step != "0" ||
		report.Processes[0].Rank.From != "SLURM_PROCID" || report.Processes[1].Type+report.Processes[1].Step+
		report.Processes[1].Rank.From != "" {
		t.Errorf("%+v", report)
	}
}
