package advice

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// good is a job that used what it had, for two hours.
func good() *report.Report {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	limit, gpus := uint64(64<<30), 2
	number := func(n int) *int { return &n }
	gpu := func(n int) report.GPU {
		return report.GPU{Number: number(n), Seen: 7200,
			Numbers: report.Numbers{Util: &report.Util{Mean: 90, Highest: 100}}}
	}
	return &report.Report{
		Job:     report.Job{ID: "1", State: "COMPLETED", Start: at, End: at.Add(2 * time.Hour), Limit: 3 * 3600},
		Watched: report.Watched{From: at, To: at.Add(2 * time.Hour), Seconds: 7200},
		Nodes:   []report.Node{{Name: "n1", GPUs: 2, Seen: 7190, List: []report.GPU{gpu(0), gpu(1)}}},
		Total:   report.Total{Nodes: 1, GPUs: 2, GPUsSeen: 2},
		Accounting: &report.Accounting{Elapsed: 7200, Nodes: 1, CPUs: 16, Tasks: 2, GPUs: &gpus,
			CPU:    &report.CPUTime{Given: 16 * 7200, Used: 12 * 7200, Percent: 75},
			Memory: &report.Memory{Peak: 50 << 30, Limit: &limit}},
	}
}

// Each piece of advice comes with its evidence, as the number to write.
func TestAdvice(t *testing.T) {
	mem := func(r *report.Report, peak uint64) { r.Accounting.Memory.Peak = peak }
	step := uint64(63 << 30)
	for name, tc := range map[string]struct {
		change func(r *report.Report)
		want   string
	}{
		"all well":  {func(*report.Report) {}, ""},
		"time":      {func(r *report.Report) { r.Job.Limit = 10 * 3600 }, "--time=02:30:00"},
		"long time": {func(r *report.Report) { r.Job.Limit, r.Accounting.Elapsed = 7*86400, 30*3600 }, "--time=1-14:00:00"},
		"time out":  {func(r *report.Report) { r.Job.State, r.Job.Limit = "TIMEOUT", 7200 }, "--time=03:00:00"},
		"little memory": {func(r *report.Report) { mem(r, 5<<30) },
			"--mem=6G"},
		"by CPU": {func(r *report.Report) { mem(r, 5<<30); r.Accounting.PerCPU = true }, "--mem-per-cpu=384M"},
		"memory is nearly full": {func(r *report.Report) { r.Accounting.Steps = []report.Step{{Memory: &step}} },
			"--mem=76G"},
		"an estimate above the limit": {func(r *report.Report) { mem(r, 100<<30) }, ""},
		"out of memory":               {func(r *report.Report) { r.Job.State = "OUT_OF_MEMORY" }, "--mem=96G"},
		"a step out of memory, and little in its samples": {func(r *report.Report) {
			mem(r, 3<<20)
			r.Accounting.OutOfMemory = "0"
		}, "--mem=96G"},
		"a GPU is unused": {func(r *report.Report) { r.Nodes[0].List[1].Util = &report.Util{} },
			"--gpus=1"},
		"all GPUs are unused": {func(r *report.Report) {
			r.Nodes[0].List[0].Util, r.Nodes[0].List[1].Util = &report.Util{}, &report.Util{}
		}, ""},
		"a GPU that was not seen": {func(r *report.Report) { r.Nodes[0].List[1].Util = nil }, ""},
		"unused, but watched late": {func(r *report.Report) {
			r.Nodes[0].List[1].Util, r.Watched.Seconds = &report.Util{}, 3600
		}, ""},
		"idle CPUs": {func(r *report.Report) { r.Accounting.CPU.Used, r.Accounting.CPU.Percent = 7200, 6 },
			"--cpus-per-task=2"},
		"one task, idle": {func(r *report.Report) {
			r.Accounting.Tasks, r.Accounting.CPU.Used, r.Accounting.CPU.Percent = 1, 7200, 6
		}, "--cpus-per-task=4"},
		"odd tasks": {func(r *report.Report) {
			r.Accounting.Tasks, r.Accounting.CPU.Used, r.Accounting.CPU.Percent = 3, 7200, 6
		}, ""},
	} {
		r := good()
		tc.change(r)
		var got []string
		for _, a := range Of(r) {
			got = append(got, a.Option+"="+a.Value)
			if a.Kind == "" || a.Reason == "" || strings.HasSuffix(a.Reason, ".") {
				t.Errorf("%s: %+v", name, a)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: %q, want %q", name, s, tc.want)
		}
	}
}

// Thin evidence gives no advice: a short run, one that failed or was canceled, one that still runs.
func TestThinEvidence(t *testing.T) {
	for name, change := range map[string]func(r *report.Report){
		"short":    func(r *report.Report) { r.Accounting.Elapsed = 200 },
		"failed":   func(r *report.Report) { r.Job.State = "FAILED" },
		"canceled": func(r *report.Report) { r.Job.State = "CANCELLED" },
		"runs":     func(r *report.Report) { r.Job.State, r.Job.End = "RUNNING", time.Time{} },
		"unknown":  func(r *report.Report) { r.Job.State = "ENDED" },
	} {
		r := good()
		r.Job.Limit, r.Accounting.Memory.Peak = 100*3600, 1<<30
		r.Accounting.CPU.Used, r.Accounting.CPU.Percent = 7200, 6
		r.Nodes[0].List[1].Util = &report.Util{}
		if got := Of(r); len(got) != 4 {
			t.Fatalf("a whole run: %+v", got)
		}
		if change(r); len(Of(r)) != 0 {
			t.Errorf("%s: %+v", name, Of(r))
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{1: "64M", 300 << 20: "320M", 1 << 30: "1G", 1<<30 + 1: "1280M",
		3.9 * (1 << 30): "4G", 4<<30 + 1: "5G", 100 << 30: "100G"} {
		if got := memoryOption(bytes); got != want {
			t.Errorf("%v bytes are %s, want %s", bytes, got, want)
		}
	}
}
