package export

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// scrape writes a Snapshot and parses that as Prometheus does: the values by name and labels.
func scrape(t *testing.T, s *cluster.Snapshot, names Names) (text []byte, values map[string]float64) {
	t.Helper()
	var b bytes.Buffer
	if err := Prometheus(&b, s, names, AllMetrics); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), decode(t, b.Bytes())
}

// decode reads the text as Prometheus would.
func decode(t *testing.T, text []byte) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text)) // a name that comes back is an error
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	values := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			key := name
			for _, l := range m.Label {
				key += fmt.Sprintf(" %s=%s", l.GetName(), l.GetValue())
			}
			if _, twice := values[key]; twice {
				t.Errorf("two samples of %s", key)
			}
			values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return values
}

// TestPrometheus holds every metric to its value in base units, and as DCGM has it.
func TestPrometheus(t *testing.T) {
	text, values := scrape(t, full(), OwnNames)
	golden.Equal(t, "testdata/full.prom", string(text))
	for series, want := range map[string]float64{
		"nvnodetop_gpu_utilization_ratio node=n1 gpu=6":                                               0.97,
		"nvnodetop_gpu_clock_hertz node=n1 gpu=6 domain=sm":                                           1.215e9,
		"nvnodetop_gpu_ecc_errors_total node=n1 gpu=6 kind=uncorrected scope=volatile":                2,
		"nvnodetop_gpu_clock_event_active node=n1 gpu=6 reason=hw_thermal_slowdown":                   1,
		"nvnodetop_gpu_clock_event_active node=n1 gpu=6 reason=gpu_idle":                              0,
		"nvnodetop_gpu_up node=n1 gpu=4":                                                              0,
		"nvnodetop_gpu_memory_used_bytes node=n6 gpu=0:1":                                             9009,
		"nvnodetop_gpu_xid_last node=n1 gpu=6":                                                        79,
		"nvnodetop_node_cpu_utilization_ratio node=n1":                                                0.315,
		"nvnodetop_node_up node=n4":                                                                   0,
		"nvnodetop_gpu_job_info node=n1 gpu=6 job_id=2_1 job_name=a <b> & c user=alice partition=gpu": 1,
	} {
		if got, has := values[series]; !has || got != want {
			t.Errorf("%s is %v (%v), want %v", series, got, has, want)
		}
	}
	rest := numbers(false, nil)
	text, values = scrape(t, full(), DCGMNames)
	golden.Equal(t, "testdata/dcgm.prom", string(text))
	gpu := " gpu=6 device=nvidia6 UUID=GPU-a pci_bus_id=00000000:1B:00.0 modelName=NVIDIA H100 Hostname=n1 " +
		"DCGM_FI_DRIVER_VERSION=550.54"
	for series, want := range map[string]float64{
		"DCGM_FI_DEV_GPU_UTIL" + gpu: 97, "DCGM_FI_DEV_SM_CLOCK" + gpu: 1215, "DCGM_FI_DEV_XID_ERRORS" + gpu: 79,
		"DCGM_FI_DEV_POWER_USAGE" + gpu:                        262.5,
		"nvnodetop_gpu_clock_hertz" + gpu + " domain=graphics": 1e6 * rest.Float(metric.GraphicsClock),
		"nvnodetop_node_up Hostname=n1":                        1,
	} {
		if got, has := values[series]; !has || got != want {
			t.Errorf("%s is %v (%v), want %v", series, got, has, want)
		}
	}
}

// Each row of the table is a metric, under both kinds of names: the fixture has all of them.
func TestPrometheusHasTheTable(t *testing.T) {
	for _, names := range []Names{OwnNames, DCGMNames} {
		text, _ := scrape(t, full(), names)
		for _, s := range []metric.Scope{metric.GPU, metric.Host} {
			for id := range metric.All(s) {
				row := id.Row()
				name := row.SeriesName()
				if names == DCGMNames && row.DCGM != "" {
					name = row.DCGM
				}
				kind := map[bool]string{false: "gauge", true: "counter"}[row.Counter]
				if !strings.Contains(string(text), "\n# TYPE "+name+" "+kind+"\n") {
					t.Errorf("%v is no %s %s", id, kind, name)
				}
			}
		}
	}
}

// Only the metrics about jobs and problems know jobs, and one knows users.
func TestPrometheusJobsAreInfo(t *testing.T) {
	for _, names := range []Names{OwnNames, DCGMNames} {
		text, _ := scrape(t, full(), names)
		for line := range strings.Lines(string(text)) {
			if (strings.Contains(line, "alice") || strings.Contains(line, "2_1")) &&
				!strings.HasPrefix(line, "nvnodetop_gpu_job_info{") && !strings.HasPrefix(line, "nvnodetop_problem{") &&
				(!strings.HasPrefix(line, "nvnodetop_job_") || strings.Contains(line, "alice")) {
				t.Error(line)
			}
		}
	}
}

// promtool returns the comments of Prometheus' own tool on metrics.
func promtool(t *testing.T, text []byte) string {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here; Debian's package prometheus has it")
	}
	cmd := exec.CommandContext(t.Context(), path, "check", "metrics")
	cmd.Stdin = bytes.NewReader(text)
	out, _ := cmd.CombinedOutput() // it fails when it says something
	return string(out)
}

func TestPromtoolHasNoComplaint(t *testing.T) {
	text, _ := scrape(t, full(), OwnNames)
	if said := promtool(t, text); said != "" {
		t.Errorf("promtool: %s", said)
	}
}

// About DCGM's own names and labels it has the complaints that dcgm-exporter has to live with, and no others.
func TestPromtoolOnDCGM(t *testing.T) {
	text, _ := scrape(t, full(), DCGMNames)
	inherent := regexp.MustCompile(`^(DCGM_\S+|nvnodetop_gpu_\S+) (counter metrics should have "_total" suffix|label names should be written in 'snake_case' not 'camelCase'|metric name should not include type 'counter')$`)
	for line := range strings.Lines(promtool(t, text)) {
		if !inherent.MatchString(strings.TrimSpace(line)) {
			t.Errorf("promtool: %s", line)
		}
	}
}

// An unknown value has no sample, and a value of 0 has one.
func TestPrometheusAbsent(t *testing.T) {
	s := oneNode(&wire.Hello{GPUs: []wire.Card{{Index: 0, UUID: "a"}}},
		&wire.Report{GPUs: []wire.GPU{{Index: 0, Values: metric.Make(map[metric.ID]float64{metric.Util: 0})}}})
	_, values := scrape(t, s, OwnNames)
	want := map[string]float64{
		"nvnodetop_node_up node=n1": 1, "nvnodetop_node_info node=n1": 1, "nvnodetop_gpu_up node=n1 gpu=0": 1,
		"nvnodetop_gpu_info node=n1 gpu=0 uuid=a":       1,
		"nvnodetop_gpu_utilization_ratio node=n1 gpu=0": 0,
	}
	if fmt.Sprint(values) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", values, want)
	}
	if _, values := scrape(t, &cluster.Snapshot{}, OwnNames); len(values) > 0 {
		t.Errorf("of nothing: %v", values)
	}
}

// Old numbers do not belong to the time of a scrape.
func TestPrometheusLeavesOutOldNumbers(t *testing.T) {
	s := store.New(time.Second, health.Rules(health.Defaults()))
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now,
		Jobs: []cluster.Job{{Name: "n1", Nodes: []string{"n1"}}}}})
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{UUID: "a"}}}})
	s.Apply(cluster.Event{At: now, Node: "n1",
		Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 50})}}}})
	for after, want := range map[time.Duration]string{time.Second: "1 true", 5 * time.Second: "0 false"} {
		_, values := scrape(t, s.Snapshot(now.Add(after)), OwnNames)
		_, has := values["nvnodetop_gpu_utilization_ratio node=n1 gpu=0"]
		if got := fmt.Sprint(values["nvnodetop_node_up node=n1"], has); got != want {
			t.Errorf("after %v: %s, want %s", after, got, want)
		}
	}
}

// A node that calls two GPUs the same, or puts quotes into names, does not spoil the numbers of the others.
func TestPrometheusOfAHostileNode(t *testing.T) {
	odd := "a\"} 1\nx{b=\"\\"
	hello := &wire.Hello{Host: odd, Driver: odd, GPUs: []wire.Card{
		{Index: 0, Minor: new(1), Name: odd}, {Index: 0, Minor: new(1), UUID: odd, PCIBus: odd}, {Index: 1}, {Index: 1},
		{Index: 2, Minor: new(2), UUID: "good"},
	}}
	values := metric.Make(map[metric.ID]float64{metric.Util: 7})
	s := oneNode(hello, &wire.Report{GPUs: []wire.GPU{{Index: 0, Values: values}, {Index: 1, Values: values},
		{Index: 2, Values: values}}})
	for _, names := range []Names{OwnNames, DCGMNames} {
		_, got := scrape(t, s, names)
		found := false
		for series, v := range got {
			found = found || strings.Contains(series, " gpu=2") && v == map[Names]float64{OwnNames: 0.07,
				DCGMNames: 7}[names]
		}
		if !found {
			t.Errorf("%s: the good GPU is missing in %v", names, got)
		}
	}
}

// thousand is a cluster of one job on 1,000 nodes with 8 GPUs each, with all metrics of an H100.
func thousand() *cluster.Snapshot {
	s := store.New(3*time.Second, health.Rules(health.Defaults()))
	job := cluster.Job{ID: "1", User: "alice", Minors: map[string][]int{}}
	once, each := numbers(true, nil), numbers(false, nil)
	for _, lacks := range []metric.ID{metric.Fan, metric.RetiredCorrectable, metric.RetiredUncorrectable,
		metric.RetiredPending, metric.ThermalTime} {
		each.Set(lacks, -1)
	}
	for i := range 1000 {
		name := fmt.Sprintf("node%04d", i)
		hello, r := &wire.Hello{Host: name, Driver: "550.54"}, &wire.Report{}
		for k := range 8 {
			hello.GPUs = append(hello.GPUs,
				wire.Card{Index: k, Minor: &k, UUID: fmt.Sprintf("GPU-%08x-0000-4000-8000-%012x", i, k),
					Name: "NVIDIA H100 80GB HBM3", PCIBus: "00000000:1B:00.0", Values: once})
			r.GPUs = append(r.GPUs, wire.GPU{Index: k, Values: each})
		}
		job.Nodes, job.Minors[name] = append(job.Nodes, name), []int{0, 1, 2, 3, 4, 5, 6, 7}
		s.Apply(cluster.Event{At: now, Node: name, Try: &cluster.Try{Interval: 3 * time.Second}})
		s.Apply(cluster.Event{At: now, Node: name, Hello: hello})
		s.Apply(cluster.Event{At: now, Node: name, Report: r})
	}
	s.Apply(cluster.Event{At: now, Discovery: &cluster.Discovery{Asked: now, Answered: now, Jobs: []cluster.Job{job}}})
	return s.Snapshot(now)
}

// counted counts the bytes written.
type counted struct{ bytes, lines int }

func (c *counted) Write(p []byte) (int, error) {
	c.bytes += len(p)
	c.lines += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// BenchmarkThousandNodes measures a scrape of 1,000 nodes with 8 GPUs each: go test ./internal/output/export -run -
// -bench Thousand
func BenchmarkThousandNodes(b *testing.B) {
	s := thousand()
	for name, write := range map[string]func(*counted) error{
		"prometheus": func(w *counted) error { return Prometheus(w, s, OwnNames, AllMetrics) },
		"core":       func(w *counted) error { return Prometheus(w, s, OwnNames, CoreMetrics) },
		"dcgm":       func(w *counted) error { return Prometheus(w, s, DCGMNames, AllMetrics) },
		"csv":        func(w *counted) error { return CSV(w, s) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var w counted
			for b.Loop() {
				w = counted{}
				if err := write(&w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.lines), "lines")
			b.ReportMetric(float64(w.bytes)/1e6, "MB")
		})
	}
}
