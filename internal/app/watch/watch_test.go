package watch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var began = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// look is an answer of SLURM some seconds after the beginning.
func look(sec int, change func(s *cluster.Snapshot)) *cluster.Snapshot {
	at := began.Add(time.Duration(sec) * time.Second)
	s := &cluster.Snapshot{At: at, Discovery: cluster.Discovery{Command: "squeue", Asked: at, Answered: at}}
	change(s)
	return s
}

func runs(ids ...string) func(s *cluster.Snapshot) {
	return func(s *cluster.Snapshot) {
		for _, id := range ids {
			s.Jobs = append(s.Jobs, cluster.JobView{Job: cluster.Job{ID: id, Number: "1" + id, Name: "train"}})
		}
	}
}

func waits(ids ...string) func(s *cluster.Snapshot) {
	return func(s *cluster.Snapshot) {
		for _, id := range ids {
			s.Discovery.Pending = append(s.Discovery.Pending, cluster.PendingJob{ID: id, Name: "train"})
		}
	}
}

// inVain is a job whose dependency is never satisfied.
func inVain(id string) func(s *cluster.Snapshot) {
	return func(s *cluster.Snapshot) {
		s.Discovery.Pending = append(s.Discovery.Pending,
			cluster.PendingJob{ID: id, Name: "after", Reason: "DependencyNeverSatisfied"})
	}
}

// ended is a job that squeue has missed for a second; state "?" is one of which SLURM has not said how it ended.
func ended(id string, state cluster.EndState) func(s *cluster.Snapshot) {
	return func(s *cluster.Snapshot) {
		e := cluster.EndedJob{ID: id, Number: "1" + id, Name: "train", State: state, Start: began.Add(-time.Hour),
			Missed: began.Add(time.Second)}
		if state == "?" {
			e.State, e.Asking = "", true
		}
		if state == cluster.JobCompleting {
			e.Missed = time.Time{}
		}
		s.Discovery.Ended = append(s.Discovery.Ended, e)
	}
}

func nothing(*cluster.Snapshot) {}

// The watch ends with the jobs, once SLURM has said how they ended, and its exit code says whether they are completed.
func TestTheEnd(t *testing.T) {
	failing := func(s *cluster.Snapshot) {
		s.Discovery.Answered, s.Discovery.Failure = time.Time{}, &reach.Failure{Short: "no answer"}
	}
	type states []func(s *cluster.Snapshot)
	for name, tc := range map[string]struct {
		jobs  []string
		looks states
		over  bool
		code  int
		words string // in the error
	}{
		"completed":  {[]string{"7"}, states{runs("7"), ended("7", cluster.JobCompleted)}, true, 0, ""},
		"its number": {[]string{"17"}, states{runs("7"), ended("7", cluster.JobCompleted)}, true, 0, ""},
		"failed": {[]string{"7"}, states{runs("7"), ended("7", cluster.JobFailed)}, true, 1,
			`job "7" did not complete`},
		"canceled": {nil, states{runs("7"), ended("7", cluster.JobCanceled)}, true, 1,
			`job "7" did not complete`},
		"one of two": {nil, states{runs("7", "8"), func(s *cluster.Snapshot) {
			runs("8")(s)
			ended("7", cluster.JobCompleted)(s)
		}, ended("8", cluster.JobFailed)}, true, 1,
			"1 of 2 jobs did not"},
		"is ending":    {nil, states{runs("7"), ended("7", cluster.JobCompleting)}, false, 1, "interrupted"},
		"not said yet": {nil, states{runs("7"), ended("7", "?")}, false, 1, "interrupted"},
		"waits":        {[]string{"7"}, states{waits("7"), waits("7")}, false, 1, "interrupted"},
		"is gone":      {[]string{"7"}, states{runs("7", "8"), runs("8")}, true, 1, `how job "7" ended is not known`},
		"waited":       {[]string{"7"}, states{waits("7"), ended("7", cluster.JobFailed)}, true, 1, "did not complete"},
		"in vain":      {[]string{"7"}, states{waits("7"), inVain("7")}, true, 1, `job "7" did not complete`},
		"others":       {nil, states{inVain("7"), func(s *cluster.Snapshot) { inVain("7")(s); runs("8")(s) }}, true, 1, "7"},
		"mended": {nil, states{runs("8"), func(s *cluster.Snapshot) { inVain("7")(s); runs("8")(s) }, waits("7"),
			ended("7", cluster.JobCompleted)}, true, 1, "1 of 2"},
		"tasks wait":   {[]string{"7"}, states{runs("7_1"), waits("7_[2-9]")}, false, 1, "interrupted"},
		"a task waits": {[]string{"7_3"}, states{waits("7_[2-9]")}, false, 0, ""},
		"its task ran": {[]string{"7_3"}, states{waits("7_[2-9%1]"), runs("7_3"), func(s *cluster.Snapshot) {
			waits("7_[4-9%1]")(s)
			ended("7_3", cluster.JobCompleted)(s)
		}}, true, 0, ""},
		"another task waits":  {[]string{"7_3"}, states{waits("7_[4-9]")}, true, 3, "none of your jobs is 7_3"},
		"its task may wait":   {[]string{"7_3"}, states{waits("7_[1,2,...]")}, false, 0, ""},
		"its task runs again": {[]string{"7_3"}, states{runs("7_3"), waits("7_3")}, false, 1, "interrupted"},
		"runs again": {nil, states{runs("7"), ended("7", cluster.JobFailed), runs("7")}, true, 1,
			"did not complete"},
		"none":             {nil, states{nothing}, true, 3, "none of your jobs runs or waits"},
		"another's":        {[]string{"9"}, states{runs("7")}, true, 3, "none of your jobs is 9: it is another user's"},
		"SLURM fails":      {nil, states{failing}, false, 3, "squeue: no answer"},
		"SLURM fails then": {nil, states{runs("7"), failing}, false, 1, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgress(tc.jobs, began)
			var err error
			over := false
			for i, state := range tc.looks {
				if over, err = p.applySnapshot(look(2*i+2, state)); over || err != nil {
					break
				}
			}
			if err == nil {
				err = p.finalError()
			}
			code, words := 0, ""
			if exit, ok := errors.AsType[*cli.ExitError](err); ok {
				code, words = exit.Code, exit.Err.Error()
			}
			if over != tc.over || code != tc.code || !strings.Contains(words, tc.words) || tc.words == "" &&
				words != "" {
				t.Errorf("over %v, exit code %d, %q", over, code, words)
			}
		})
	}
}

func noLog(*sacct.Job) string { return "" }

// Tasks of an array that began and ended between two questions to SLURM count, as far as the user named them, and once.
func TestUnseenTasks(t *testing.T) {
	task := func(id, state string, code int, end time.Time) sacct.Job {
		return sacct.Job{ID: id, Number: "1" + id, Name: "sweep\x1b", State: state, Code: code, NodeList: "n1",
			Start: end.Add(-time.Minute), End: end}
	}
	p := newProgress([]string{"7"}, began)
	looks := []func(*cluster.Snapshot){runs("7_1"), waits("7_[2-9]"), ended("7_1", cluster.JobCompleted)}
	for i, state := range looks {
		if _, err := p.applySnapshot(look(2*i+2, state)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.finalError(); err != nil || !p.arrays["7"] {
		t.Fatalf("%v, arrays %v", err, p.arrays)
	}
	oom := task("7_3", "OUT_OF_MEMORY", 0, began.Add(time.Minute))
	oom.Signal = sacct.MarkOutOfMemory
	never := task("7_6", "CANCELLED", 0, began.Add(time.Minute))
	never.NodeList = "None assigned"
	got := p.noteUnseen([]sacct.Job{task("7_1", "COMPLETED", 0, began.Add(time.Minute)), oom, never,
		task("7_4", "COMPLETED", 0, began.Add(time.Minute)), task("7_5", "FAILED", 3, began.Add(-time.Hour)),
		task("8_1", "FAILED", 3, began.Add(time.Minute))}, noLog)
	if len(got) != 2 || got[0].ID != "7_3" || got[0].Exit != nil || strings.Contains(got[0].Name, "\x1b") ||
		got[1].ID != "7_4" || *got[1].Exit != (cluster.Exit{}) {
		t.Errorf("%+v", got)
	}
	if err := p.finalError(); err == nil || !strings.HasSuffix(err.Error(), "1 of 3 jobs did not complete") {
		t.Errorf("%v", err)
	}
}

// The accounting decides about jobs that are gone, and about those that the user has named and that had ended before.
func TestUnknownEnds(t *testing.T) {
	job := func(id, state string, before time.Duration) sacct.Job {
		end := began.Add(-before)
		return sacct.Job{ID: id, Number: id, Name: "x", State: state, NodeList: "n1", Start: end.Add(-time.Minute), End: end}
	}
	canceled := job("9", "CANCELLED", -time.Minute)
	canceled.NodeList = "None assigned"
	for name, tc := range map[string]struct {
		names   []string
		looks   []func(*cluster.Snapshot)
		books   []sacct.Job
		unknown string
		told    int
		words   string // of the verdict
	}{
		"failed before": {[]string{"7"}, []func(*cluster.Snapshot){nothing}, []sacct.Job{job("7", "FAILED", time.Hour)},
			"7", 1, `"7" did not`},
		"completed before": {[]string{"7"}, []func(*cluster.Snapshot){nothing},
			[]sacct.Job{job("7", "COMPLETED", time.Hour)}, "7", 1, ""},
		"nobody knows it": {[]string{"7"}, []func(*cluster.Snapshot){nothing}, nil, "7", 0, "none of your jobs is 7"},
		"is gone": {[]string{"7"}, []func(*cluster.Snapshot){runs("7"), nothing},
			[]sacct.Job{job("7", "COMPLETED", -time.Minute)}, "7", 1, ""},
		"waited": {[]string{"7", "9"}, []func(*cluster.Snapshot){waits("7", "9"), nothing},
			[]sacct.Job{job("7", "FAILED", -time.Minute), canceled}, "7 9", 2, "2 of 2"},
		"still there": {[]string{"7"}, []func(*cluster.Snapshot){runs("7"), nothing},
			[]sacct.Job{{ID: "7", NodeList: "n1", Start: began}}, "7", 0, "not known"},
	} {
		p := newProgress(tc.names, began)
		for i, state := range tc.looks {
			if _, err := p.applySnapshot(look(2*i+2, state)); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(p.unknownJobs(), " "); got != tc.unknown {
			t.Errorf("%s: unknown %q", name, got)
		}
		told, err := p.noteUnseen(tc.books, noLog), p.finalError()
		if len(told) != tc.told || (err == nil) != (tc.words == "") || err != nil &&
			!strings.Contains(err.Error(), tc.words) {
			t.Errorf("%s: %+v, %v", name, told, err)
		}
	}
}

// The database is late only if a task runs there that was watched, and is the user's.
func TestLate(t *testing.T) {
	p := newProgress([]string{"7_3"}, began)
	task := sacct.Job{ID: "7_3", Number: "9", User: "alice", NodeList: "n1", Start: began}
	ended, waiting, other, another := task, task, task, task
	ended.End, waiting.Start, other.ID, another.User = began, time.Time{}, "7_4", "bob"
	for name, tc := range map[string]struct {
		jobs []sacct.Job
		want bool
	}{"runs": {[]sacct.Job{ended, task}, true}, "none": {nil, false},
		"others": {[]sacct.Job{ended, waiting, other, another}, false}} {
		if got := p.databaseLags("alice")(tc.jobs); got != tc.want {
			t.Errorf("%s: late %v", name, got)
		}
	}
}

// Who interrupts the question to the accounting has an interrupted watch.
func TestInterruptedAtTheEnd(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	p := &cli.Program{Config: config.Default()}
	var said strings.Builder
	p.Err = &said
	o := &Options{Program: p, seen: newProgress(nil, began)}
	o.seen.jobs, o.seen.over, o.seen.arrays["7"] = []*watchedJob{{ID: "7_1", State: cluster.JobCompleted, ended: true}},
		true,
		true
	if err := o.lookUp(ctx, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if err := o.seen.finalError(); !errors.Is(err, cli.ErrInterrupted) ||
		!strings.Contains(said.String(), "7 that ended") {
		t.Errorf("%v, said %q", err, said.String())
	}
}

// prints returns what the program prints about a job that hangs and ends.
func prints(t *testing.T, asJSON bool) []string {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	p := &cli.Program{Config: config.Default()}
	p.Out = out
	o := &Options{Program: p, json: asJSON, seen: newProgress(nil, began)}
	o.desk, _ = OpenNews(&p.Config, NewsOptions{})
	hangs := look(2, runs("7"))
	hangs.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindJobHang, Severity: cluster.Warning, GPU: -1,
		Since: began, Job: "7"}}
	hangs.Stacks = map[string]*rankstacks.Verdict{"7": {Job: "7", Time: began.Add(time.Second), State: rankstacks.Stuck,
		Headline: "rank 3 in load, 7 in all_reduce", Said: []string{"7 of 8 ranks are in all_reduce."}}}
	for _, s := range []*cluster.Snapshot{look(1, runs("7")), hangs, look(10, ended("7", cluster.JobFailed))} {
		if err = o.printNews(s); err != nil {
			break
		}
	}
	if !errors.Is(err, errOver) || !o.desk.Close(time.Minute) || o.sumUp() != nil {
		t.Errorf("it ends with %v", err)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// Each piece of news is a line, and each job one at the end.
func TestLines(t *testing.T) {
	lines := prints(t, false)
	if len(lines) != 3 || !strings.Contains(lines[0],
		"  hang     7 train: job hangs: rank 3 in load, 7 in all_reduce. ") ||
		!strings.Contains(lines[0], "7 of 8 ranks are in all_reduce.") ||
		!strings.HasSuffix(lines[1], "  failure  7 train: failed after 1h") ||
		lines[2] != "7 train: failed after 1h, 2 notifications" {
		t.Errorf("%q", lines)
	}
}

func TestJSONLines(t *testing.T) {
	var events []string
	var last struct {
		News int
		Jobs []struct {
			Job   string
			State string `json:"job_state"`
			News  int
		}
	}
	for _, line := range prints(t, true) {
		var l struct{ Event string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		events = append(events, l.Event)
		if l.Event != "summary" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Join(events, " ") != "hang failure summary" || last.News != 2 || len(last.Jobs) != 1 ||
		last.Jobs[0].State != "FAILED" || last.Jobs[0].News != 2 {
		t.Errorf("%v, at the end %+v", events, last)
	}
}
