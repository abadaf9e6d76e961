package books

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

var now = time.Date(2026, 11, 23, 14, 0, 0, 0, time.UTC)

// real returns jobs that sacct has printed, by their IDs.
func real(t *testing.T, name string) map[string]*sacct.Job {
	t.Helper()
	out, err := os.ReadFile("../../../slurm/sacct/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := sacct.Parse(out, "|MARK|")
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*sacct.Job{}
	for i := range jobs {
		by[jobs[i].ID] = &jobs[i]
	}
	return by
}

func kinds(r *report.Report) (out []string) {
	for _, n := range r.Notes {
		out = append(out, n.Kind)
	}
	return out
}

// The utilization of a step is that of its tasks together; a job's is that of its steps over its time.
func TestGPUs(t *testing.T) {
	r := Make(real(t, "gpus.txt")["1"], now)
	a := r.Accounting
	if a.GPUs == nil || *a.GPUs != 2 || a.Model != "a100" || a.GPUUtilMost == nil || *a.GPUUtilMost != 35.5 ||
		*a.GPUHours.UsedMost != 1.42 || *a.GPUHours.WastedLeast != 2.58 || a.GPUHours.Wasted != nil ||
		*a.GPUMemory != 16<<30 {
		t.Errorf("%+v, %+v", a, a.GPUHours)
	}
	if r = Make(real(t, "gpus.txt")["9"], now); r.Accounting.GPUUtilMost != nil ||
		r.Accounting.GPUHours.WastedLeast != nil ||
		!slices.Contains(kinds(r), noteNoUtil) {
		t.Errorf("without a utilization: %+v", r.Accounting.GPUHours)
	}
	if r = Make(real(t, "gpus.txt")["10"], now); r.Accounting.GPUs != nil || r.Accounting.GPUHours != nil {
		t.Errorf("without GPUs: %+v", r.Accounting)
	}
}

// A step of which SLURM has no sample may have used all of its GPUs: the bound holds with it.
func TestGPUsWithoutSamples(t *testing.T) {
	j := *real(t, "gpus.txt")["1"]
	j.Steps = append(slices.Clone(j.Steps), sacct.Step{Name: "1", GPUs: 1, Elapsed: 15 * time.Minute},
		sacct.Step{Name: "2", Elapsed: 6 * time.Minute}) // 0.25 h, and 0.2 h as it may have both
	if a := Make(&j, now).Accounting; *a.GPUHours.UsedMost != 1.87 || *a.GPUHours.WastedLeast != 2.13 ||
		*a.GPUUtilMost != 46.75 {
		t.Errorf("%+v, %v", a.GPUHours, *a.GPUUtilMost)
	}
}

// Memory is that of the fullest node: the steps that ran there at the same time, each task as often as it may be there.
func TestMemory(t *testing.T) {
	at := func(m int) time.Time { return now.Add(time.Duration(m) * time.Minute) }
	step := func(from, to int, nodes string, n, tasks int, each, all uint64) sacct.Step {
		return sacct.Step{Start: at(from), End: at(to), NodeList: nodes, Nodes: n, Tasks: tasks, MaxRSS: each << 30,
			TotalRSS: all << 30, MaxRSSNode: "n1"}
	}
	for name, tc := range map[string]struct {
		steps []sacct.Step
		want  uint64
	}{
		"one":                 {[]sacct.Step{step(0, 9, "n1", 1, 1, 5, 5)}, 5},
		"two tasks":           {[]sacct.Step{step(0, 9, "n1", 1, 2, 5, 8)}, 8},
		"two nodes":           {[]sacct.Step{step(0, 9, "n[1-2]", 2, 4, 5, 20)}, 10},
		"one after the other": {[]sacct.Step{step(0, 5, "n1", 1, 1, 5, 5), step(5, 9, "n1", 1, 1, 6, 6)}, 6},
		"side by side":        {[]sacct.Step{step(0, 6, "n1", 1, 1, 5, 5), step(5, 9, "n1", 1, 1, 6, 6)}, 11},
		"on other nodes":      {[]sacct.Step{step(0, 9, "n1", 1, 1, 5, 5), step(0, 9, "n2", 1, 1, 6, 6)}, 6},
		"a node list that is none": {[]sacct.Step{step(0, 9, "n[", 1, 1, 5, 5), step(0, 9, "n1", 1, 1, 6, 6)},
			6},
	} {
		j := &sacct.Job{Nodes: 2, CPUs: 8, Steps: tc.steps, Memory: sacct.Request{Bytes: 16 << 30}}
		if m := estimateMemory(j); m == nil || m.Peak != tc.want<<30 || *m.Limit != 16<<30 ||
			*m.Headroom != (16-tc.want)<<30 {
			t.Errorf("%s: %+v, want %d GiB", name, m, tc.want)
		}
		j.Memory.PerCPU = true
		if m := estimateMemory(j); *m.Limit != 64<<30 {
			t.Errorf("%s: limit %d of 4 CPUs a node", name, *m.Limit)
		}
	}
	if m := estimateMemory(&sacct.Job{}); m != nil {
		t.Errorf("%+v of nothing", m)
	}
}

// What is not known is said, and no number.
// SLURM's peak may be above the limit, since it counts shared memory for each process: then a note says so.
func TestPeakAboveTheLimit(t *testing.T) {
	for peak, want := range map[uint64]bool{15 << 30: false, 17 << 30: true} {
		limit := uint64(16 << 30)
		r := &report.Report{Accounting: &report.Accounting{Memory: &report.Memory{Peak: peak, Limit: &limit}}}
		has := slices.ContainsFunc(accountingNotes(r), func(n report.Note) bool { return n.Kind == noteAboveLimit })
		if has != want {
			t.Errorf("%d: noted: %v", peak, has)
		}
	}
}

func TestNothingGathered(t *testing.T) {
	j := &sacct.Job{ID: "7", State: "FAILED", Code: 1, NodeList: "n1", Submit: now, Start: now,
		End:     now.Add(2 * time.Second),
		Elapsed: 2 * time.Second, CPUs: 4, Nodes: 1, Steps: []sacct.Step{{Name: "batch", State: "FAILED"}}}
	r := Make(j, now)
	if a := r.Accounting; a.CPU != nil || a.Memory != nil || a.Energy != nil || a.GPUs != nil {
		t.Errorf("%+v", a)
	}
	if got := kinds(r); !slices.Equal(got, []string{noteFailed, noteNoUsage, noteUnwatched}) {
		t.Errorf("notes %q", got)
	}
}

// Of jobs that the kernel has killed for their memory SLURM writes signal 125, and a sample of some MiB. A script that
// goes on after such a step has SLURM's word for its own end.
func TestOutOfMemory(t *testing.T) {
	by := real(t, "ends.txt")
	for id, want := range map[string]struct{ state, step, advice string }{
		"1": {"FAILED", "0", "320M"}, "2": {"OUT_OF_MEMORY", "batch", "192M"}, "3": {"COMPLETED", "0", "320M"},
		"16": {"FAILED", "0", "512M"},
	} {
		r := Make(by[id], now)
		if r.Job.State != want.state || r.Accounting.OutOfMemory != want.step || r.Job.Signal != 0 ||
			(r.Job.Code == nil) != (id == "2") || !slices.Contains(kinds(r), noteStepOOM) || len(r.Advice) != 1 ||
			r.Advice[0].Option+r.Advice[0].Value != "--mem"+want.advice {
			t.Errorf("job %s: %+v, %+v", id, r.Job, r.Advice)
		}
	}
}

// A step may have less memory than its job: then it is the one that needed more.
func TestStepOutOfMemory(t *testing.T) {
	j := *real(t, "ends.txt")["16"]
	j.Memory.Bytes = 16 << 30
	r := Make(&j, now)
	if limit := r.Accounting.OutOfMemoryLimit; limit == nil || *limit != 300<<20 || r.Advice[0].Value != "512M" ||
		!strings.HasPrefix(r.Advice[0].Reason, "of the srun of step 0, which needed more than its 300") ||
		!slices.ContainsFunc(r.Notes, func(n report.Note) bool { return strings.HasPrefix(n.Text, "Step 0 needed") }) {
		t.Errorf("%+v, %+v, %+v", r.Accounting, r.Advice, r.Notes)
	}
	if r = Make(real(t, "ends.txt")["16"], now); r.Accounting.OutOfMemoryLimit != nil {
		t.Errorf("limit %d of a step that has all of the job's", *r.Accounting.OutOfMemoryLimit)
	}
}

// A job that was canceled before it began has not run, and is in no list; one that failed at once is.
func TestNeverRan(t *testing.T) {
	by := real(t, "ends.txt")
	r := Make(by["8"], now)
	if !r.Job.Start.IsZero() || r.Job.Code != nil || len(r.Notes) != 0 || r.Accounting.NodeList != "" ||
		*r.Accounting.Waited != 0 {
		t.Errorf("%+v, %+v", r.Job, r.Accounting)
	}
	if l := List([]sacct.Job{*by["8"], *by["1"]}); len(l.Jobs) != 1 || l.Jobs[0].ID != "1" || l.Total.Failed != 1 {
		t.Errorf("%+v", l)
	}
}

// A job that was requeued is reported by its last run, with what it cost before.
func TestRequeued(t *testing.T) {
	out, err := os.ReadFile("../../../slurm/sacct/testdata/ends.txt")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := sacct.Parse(out, "|MARK|")
	if err != nil {
		t.Fatal(err)
	}
	again := slices.IndexFunc(jobs, func(j sacct.Job) bool { return j.ID == "4" && j.State == "PENDING" })
	jobs[again].State, jobs[again].NodeList, jobs[again].Start = "COMPLETED", "node02", jobs[again].Submit.Add(time.Hour)
	for _, j := range sacct.Last(jobs) {
		if j.ID != "4" {
			continue
		}
		r := Make(&j, now)
		if e := r.Accounting.Earlier; r.Job.State != "COMPLETED" || len(e) != 1 || e[0].State != "REQUEUED" ||
			e[0].NodeList != "node01" || e[0].Elapsed != 6 || *e[0].GPUHours != 0.0033 {
			t.Errorf("%+v, %+v", r.Job, e)
		}
	}
}

// The energy of a node counts once, however many steps have measured it.
// A job that was canceled while it waited to run again is canceled, in its report and in a list.
func TestCanceledBeforeItRanAgain(t *testing.T) {
	at := func(m int) time.Time { return time.Date(2026, 11, 20, 9, m, 0, 0, time.UTC) }
	run := sacct.Job{ID: "7", User: "alice", State: "REQUEUED", Submit: at(1), Start: at(2), End: at(5), NodeList: "n1",
		Nodes: 1, CPUs: 1, GPUs: 2, CountsGPUs: true, Elapsed: 3 * time.Minute}
	end := sacct.Job{ID: "7", User: "alice", State: "CANCELLED", Submit: at(5), End: at(9), NodeList: "None assigned"}
	again := sacct.Job{ID: "8", User: "alice", State: "PENDING", Submit: at(5), NodeList: "None assigned"}
	r := Make(&sacct.Last([]sacct.Job{run, end})[0], at(10))
	if r.Job.State != "CANCELLED" || len(r.Accounting.Earlier) != 1 || r.Accounting.Earlier[0].State != "REQUEUED" {
		t.Errorf("%+v, %+v", r.Job, r.Accounting)
	}
	waiting := run
	waiting.ID, waiting.Start = "8", at(3)
	l := NewListing("alice", at(0), at(20))
	l.Add([]sacct.Job{run, end, waiting, again})
	for title, list := range map[string]*report.List{"of a user": first(l.List()), "of jobs": List(sacct.Last(
		[]sacct.Job{run, end, waiting, again}))} {
		if len(list.Jobs) != 2 || list.Jobs[0].State != "CANCELLED" || list.Jobs[1].State != "REQUEUED" ||
			list.Total.Given != 0.2 {
			t.Errorf("%s: %+v", title, list)
		}
	}
}

func first(l *report.List, _ int) *report.List { return l }

// What cannot be is left out, and said.
func TestImpossible(t *testing.T) {
	j := sacct.Job{ID: "7", User: "alice", NodeList: "n1", Elapsed: time.Hour, Impossible: []string{"4294967294 nodes",
		"4294967294 CPUs", "c", "d", "e"}}
	j.Start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	r := Make(&j, j.Start)
	if !slices.ContainsFunc(r.Notes, func(n report.Note) bool {
		return n.Kind == noteImpossible && strings.Contains(n.Text, "4294967294 nodes, 4294967294 CPUs, c, d and 1 more")
	}) {
		t.Errorf("%+v", r.Notes)
	}
}

func TestEnergy(t *testing.T) {
	steps := []sacct.Step{{Name: "batch", Joules: 7.2e6}, {Name: "extern", Joules: 7.1e6}, {Name: "0", Joules: 3e6},
		{Name: "1", Joules: 4e6}}
	if got := nodeEnergy(&sacct.Job{Steps: steps, Joules: 21e6}); got != 7.2e6 {
		t.Errorf("%v J", got)
	}
	if r := Make(&sacct.Job{Joules: 3.6e6}, now); r.Accounting.Energy == nil || *r.Accounting.Energy != 1 {
		t.Errorf("%+v", r.Accounting.Energy)
	}
}

// Names of jobs and steps are safe to display.
func TestNamesAreSafe(t *testing.T) {
	r := Make(real(t, "jobs.txt")["8"], now)
	for _, s := range []string{r.Job.Name, r.Accounting.Steps[2].Program} {
		if strings.ContainsAny(s, "\x1b\n") {
			t.Errorf("%q", s)
		}
	}
}

// A list adds up what is known, and says what is not.
func TestList(t *testing.T) {
	by := real(t, "gpus.txt")
	made := NewListing("alice", now.AddDate(0, 0, -7), now)
	made.Add([]sacct.Job{*by["10"], *by["9"]})
	made.Add([]sacct.Job{*by["1"], {ID: "99", State: "PENDING"}})
	l, _ := made.List()
	if len(l.Jobs) != 3 || !slices.IsSortedFunc(l.Jobs, func(a, b report.Row) int { return a.Start.Compare(b.Start) }) {
		t.Fatalf("%+v", l.Jobs)
	}
	if got := l.Total; got.Jobs != 3 || got.Given != 12 || got.Judged != 4 || got.Wasted != 2.58 || got.Unknown != 8 ||
		got.NoGPUs != 1 || got.CPU != 26 || got.CPUUsed != 2.5 {
		t.Errorf("%+v", got)
	}
}

// The advice for a job that was watched counts what SLURM says of it.
func TestJoinAdvises(t *testing.T) {
	advised := 0
	for id, j := range real(t, "gpus.txt") {
		r := &report.Report{Version: report.Version, Job: report.Job{ID: id, User: j.User, Start: j.Start}}
		if !Join(r, j, report.FromRecording, "a.nvr", now) {
			continue
		}
		if diff := cmp.Diff(advice.Of(r), r.Advice); diff != "" {
			t.Errorf("job %s (-want +got):\n%s", id, diff)
		}
		advised += len(r.Advice)
	}
	if advised == 0 {
		t.Error("no job has any advice")
	}
}

// What SLURM has counted joins a recording of the same job, and of no other with its ID.
func TestJoin(t *testing.T) {
	j := real(t, "gpus.txt")["1"]
	watched := func() *report.Report {
		return &report.Report{Version: report.Version, Job: report.Job{ID: "1", User: "alice", Start: j.Start,
			State: "RUNNING"}}
	}
	r := watched()
	if !Join(r, j, report.FromRecording, "a.nvr", now) || r.Accounting == nil || r.Job.State != "COMPLETED" ||
		r.Job.QOS != "normal" || len(r.Sources) != 2 || r.Sources[0].File != "a.nvr" {
		t.Errorf("%+v", r)
	}
	for name, change := range map[string]func(*report.Report){
		"another user": func(r *report.Report) { r.Job.User = "bob" },
		"another time": func(r *report.Report) { r.Job.Start = j.Start.AddDate(-1, 0, 0) },
	} {
		r := watched()
		if change(r); Join(r, j, report.FromRecording, "", now) || r.Accounting != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A step needs its largest task as often as it has tasks on a node, but no more than all of them together.
func TestNeed(t *testing.T) {
	for _, tc := range []struct {
		step sacct.Step
		want uint64
	}{
		{sacct.Step{MaxRSS: 5, Tasks: 4, Nodes: 2}, 10}, {sacct.Step{MaxRSS: 5, Tasks: 3, Nodes: 2}, 10},
		{sacct.Step{MaxRSS: 5, Tasks: 4, Nodes: 2, TotalRSS: 7}, 7},
		{sacct.Step{MaxRSS: 5, Tasks: 4, Nodes: 2, TotalRSS: 5}, 5},
		{sacct.Step{MaxRSS: 5, Tasks: 4, Nodes: 2, TotalRSS: 4}, 10}, {sacct.Step{MaxRSS: 5}, 5}, {sacct.Step{}, 0},
	} {
		if got := stepMemory(&tc.step); got != tc.want {
			t.Errorf("%+v: %d, want %d", tc.step, got, tc.want)
		}
	}
}
