package srun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// watched is a poller over a fake, and what it emits.
type watched struct {
	*poller.Manager
	f      *fake
	mu     sync.Mutex
	events []cluster.Event
	end    func()
}

func (f *fake) watch(nodes ...string) *watched {
	f.t.Helper()
	o := f.Opener()
	o.Installer.Program = os.Args[0]
	o.Installer.Link.Silence = cmp.Or(f.silence, o.Installer.Link.Silence)
	w := &watched{f: f, Manager: poller.New(poller.Config{Opener: o, Interval: 250 * time.Millisecond, Retries: 32})}
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, func(e cluster.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		})
	}()
	w.end = sync.OnceFunc(func() { cancel(); <-done })
	f.t.Cleanup(func() { w.end(); f.allEnd() })
	w.SetNodes(nodes)
	return w
}

// first waits for an event.
func (w *watched) first(what string, is func(cluster.Event) bool) cluster.Event {
	w.f.t.Helper()
	return w.nth(what, 1, is)
}

func (w *watched) nth(what string, n int, is func(cluster.Event) bool) cluster.Event {
	w.f.t.Helper()
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		for left, i := n, 0; i < len(w.events); i++ {
			if is(w.events[i]) {
				if left--; left == 0 {
					found := w.events[i]
					w.mu.Unlock()
					return found
				}
			}
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Down != nil {
			w.f.t.Logf("%s: %+v", e.Node, e.Down.Failure)
		}
	}
	w.f.t.Fatalf("no %s", what)
	return cluster.Event{}
}

func (w *watched) hello(node string) *wire.Hello {
	w.f.t.Helper()
	return w.first("hello of "+node, func(e cluster.Event) bool { return e.Node == node && e.Hello != nil }).Hello
}

func (w *watched) reports(node string, n int) {
	w.f.t.Helper()
	w.nth("report of "+node, n, func(e cluster.Event) bool { return e.Node == node && e.Report != nil })
}

func (w *watched) failure(node string) reach.Failure {
	w.f.t.Helper()
	return w.first("failure of "+node, func(e cluster.Event) bool {
		return e.Node == node && e.Down != nil
	}).Down.Failure
}

func (w *watched) noFailure() {
	w.f.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Down != nil {
			w.f.t.Errorf("%s has failed: %+v", e.Node, e.Down.Failure)
		}
	}
}

// ask asks nodes for the environments of their probes, which name the nodes. It asks all at the same time: the probes
// are on one host here, so one that hears the requests to another could answer them, and the first answer counts.
func (w *watched) ask(nodes ...string) {
	w.f.t.Helper()
	var asking sync.WaitGroup
	for _, node := range nodes {
		pid := w.hello(node).PID
		stat, err := proc.Of("/proc", pid).Stat()
		if err != nil {
			w.f.t.Fatal(err)
		}
		asking.Go(func() {
			reply, err := w.Ask(w.f.t.Context(), node,
				wire.Request{Environ: &wire.ProcessID{PID: pid, StartTicks: stat.Start}})
			if err != nil || reply.Environ == nil || !slices.Contains(reply.Environ.Variables, "SLURMD_NODENAME="+
				node) {
				w.f.t.Errorf("%s answered %+v, %v", node, reply, err)
			}
			reply, err = w.Ask(w.f.t.Context(), node,
				wire.Request{Environ: &wire.ProcessID{PID: pid, StartTicks: stat.Start + 1}})
			if err != nil || reply.Error == "" || reply.Environ != nil {
				w.f.t.Errorf("%s answered %+v, %v for a process with another start time", node, reply, err)
			}
		})
	}
	asking.Wait()
}

// job7 is a job with two GPUs on each of its nodes.
func job7(nodes ...string) []Job {
	j := Job{ID: "7", Nodes: nodes, GPUs: map[string]int{}}
	for _, n := range nodes {
		j.GPUs[n] = 2
	}
	return []Job{j}
}

func names(n int) []string {
	var nodes []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf("n%02d", i))
	}
	return nodes
}

func TestOneStepForAllNodesOfAJob(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	f.limits.closing, f.limits.gather = 10*time.Second, time.Second // long enough for all to be there on a busy machine
	nodes := names(12)                                              // labels of one and of two digits
	f.Know(job7(nodes...))
	w := f.watch(nodes...)
	for _, n := range nodes {
		w.reports(n, 2)
	}
	w.ask(nodes...)
	started, _ := f.sruns()
	if len(started) != 1 || !strings.Contains(started[0], "--nodes=12 --ntasks=12 --ntasks-per-node=1 --nodelist="+
		strings.Join(nodes, ",")) {
		t.Errorf("started %q", started)
	}
	w.SetNodes(nodes[1:]) // one leaves, the others do not notice
	w.first("end", func(e cluster.Event) bool { return e.Node == "n00" && e.Gone })
	w.reports("n01", 6)
	w.ask(nodes[1:]...)
	w.SetNodes(nodes) // and comes back, in a step of its own
	w.nth("second hello", 2, func(e cluster.Event) bool { return e.Node == "n00" && e.Hello != nil })
	if started, ended := f.sruns(); len(started) != 2 || !strings.Contains(started[1], "--nodelist=n00 ") ||
		ended != 0 {
		t.Errorf("started %q, %d ended", started, ended)
	}
	w.noFailure()
	w.end()
	f.allEnd()
	if _, ended := f.sruns(); ended != 2 {
		t.Errorf("%d sruns have ended by themselves", ended)
	}
}

func TestOneProbeDies(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	f.Know(job7("a", "b"))
	w := f.watch("a", "b")
	w.reports("a", 1)
	p, err := os.FindProcess(w.hello("b").PID)
	if err = errors.Join(err, p.Kill()); err != nil {
		t.Fatal(err)
	}
	if got := w.failure("b"); got.Class != reach.ClassProbeKilled || got.Detail != "signal KILL" {
		t.Errorf("got %+v", got)
	}
	w.nth("second hello of b", 2, func(e cluster.Event) bool { return e.Node == "b" && e.Hello != nil })
	w.reports("a", 8)
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.events, func(e cluster.Event) bool { return e.Node == "a" && e.Down != nil }) {
		t.Error("the other node was lost as well")
	}
}

// A script with input has a step of its own, which gets the input unchanged; a long line arrives whole.
func TestScriptWithInput(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{})
	f.Know(job7("a", "b"))
	input := []byte(strings.Repeat("\x00\xff\n@b x\x1f\n", 50_000))
	shell, err := f.Dial(t.Context(), "b", remote.NewLog("b", func(reach.Step) {}))
	if err != nil {
		t.Fatal(err)
	}
	f.noProbes("b")
	pipe, err := shell.Run(t.Context(), fmt.Sprintf(`head -c %d | sha256sum; echo done >&2; read line; echo "$line"; exit 5`, len(input)), bytes.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(pipe.In, "hello\n"); err != nil {
		t.Error(err)
	}
	out, err := io.ReadAll(pipe.Out)
	if exit := pipe.Wait(); err != nil || exit != (link.Exit{Known: true, Status: 5}) ||
		!strings.HasSuffix(string(out), "  -\n@b hello\n") || pipe.Words.String() != "done\n" {
		t.Errorf("out %q, words %q, %+v, %v", out, pipe.Words, exit, err)
	}
	if started, _ := f.sruns(); len(started) != 1 || !strings.Contains(started[0], "--nodelist=b ") {
		t.Errorf("started %q", started)
	}
}

func TestLongLinesArriveWhole(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{})
	f.Know(job7("a", "b"))
	f.noProbes("a", "b")
	long := strings.Repeat("0123456789", 100_000)
	var reading sync.WaitGroup
	for _, node := range []string{"a", "b"} {
		shell, err := f.Dial(t.Context(), node, remote.NewLog(node, func(reach.Step) {}))
		if err != nil {
			t.Fatal(err)
		}
		reading.Go(func() {
			// What a probe does with its lines, in sh: the mark of a fold is \037.
			script := `i=0; while [ $i -lt 1000 ]; do for j in 0 1 2 3 4 5 6 7 8 9; do printf "%s\037\n" ` +
				long[:100] + `; done; i=$((i+1)); done; echo`
			pipe, err := shell.Run(t.Context(), script, nil)
			if err != nil {
				t.Error(err)
				return
			}
			out, err := io.ReadAll(pipe.Out)
			if string(out) != long+"\n" || err != nil {
				t.Errorf("%s: %d bytes, %v", node, len(out), err)
			}
		})
	}
	reading.Wait()
}

// What scripts of one step say on standard error and how they end is told apart by node.
func TestWordsAndStatusOfEachNode(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{})
	f.Know(job7("a", "b"))
	f.noProbes("a", "b")
	f.limits.gather = 30 * time.Second // until both are there
	var running sync.WaitGroup
	for node, status := range map[string]int{"a": 3, "b": 4} {
		shell, err := f.Dial(t.Context(), node, remote.NewLog(node, func(reach.Step) {}))
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			pipe, err := shell.Run(t.Context(),
				`echo "a warning of $SLURMD_NODENAME" >&2; [ $SLURMD_NODENAME = a ] && exit 3; exit 4`, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if exit := pipe.Wait(); exit != (link.Exit{Known: true, Status: status}) ||
				pipe.Words.String() != "a warning of "+node+"\n" {
				t.Errorf("%s: %+v, words %q", node, exit, pipe.Words)
			}
		})
	}
	running.Wait()
	if started, _ := f.sruns(); len(started) != 1 {
		t.Errorf("started %q", started)
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	const invalid = "srun: error: Unable to create step for job 7: Invalid generic resource (gres) specification"
	for name, c := range map[string]struct {
		answers, gpus string
		steps         []string // a word of the arguments of each srun; empty: none of GPUs
		sees          int
		fault         string
	}{
		"a total is inherited": {"", "--gpus-per-node=2|2\n*|1", []string{"", "--gpus-per-node=2"}, 2, ""},
		"nothing is inherited": {"", "--gpus-per-node=2|2\n*|0", []string{"", "--gpus-per-node=2"}, 2, ""},
		"only GRES helps": {"--gpus-per-node=2|" + invalid, "--gres=gpu:2|2\n*|0",
			[]string{"", "--gpus-per-node=2", "--gres=gpu:2"}, 2, ""},
		"the step is held back": {"--gpus-per-node=2|hold srun: Job 7 step creation temporarily disabled, retrying " +
			"(Requested nodes are busy)", "--gres=gpu:2|2\n*|0", []string{"", "--gpus-per-node=2", "--gres=gpu:2"}, 2,
			""},
		"a GPU has fallen off": {"", "*|1", []string{"", "--gpus-per-node=2", "--gres=gpu:2"}, 1, ""},
		"no GPU for a second one": {"--gpus-per-node=2|" + invalid + "\n--gres=gpu:2|" + invalid, "*|0",
			[]string{"", "--gpus-per-node=2", "--gres=gpu:2", "--gres=none"}, 0,
			"srun gives no GPU to a second step: Invalid generic resource (gres) specification"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, map[string]string{"answers": c.answers, "gpus": c.gpus})
			// Both nodes climb together, however busy the machine is. No test waits that long: a step begins when both
			// ask for it.
			f.limits.gather, f.limits.partial, f.limits.hello = time.Minute, time.Minute, time.Minute
			f.Know(job7("a", "b"))
			w := f.watch("a", "b")
			for _, n := range []string{"a", "b"} {
				if h := w.hello(n); len(h.GPUs) != c.sees || h.Fault != c.fault {
					t.Errorf("%s sees %d GPUs, %q", n, len(h.GPUs), h.Fault)
				}
			}
			w.reports("a", 1)
			w.noFailure()
			started, _ := f.sruns()
			var got []string
			for _, args := range started {
				option := ""
				for word := range strings.FieldsSeq(args) {
					if strings.HasPrefix(word, "--g") {
						option = word
					}
				}
				got = append(got, option)
			}
			if !slices.Equal(got, c.steps) {
				t.Errorf("steps %q, want %q", got, c.steps)
			}
		})
	}
}

// The rung that worked is remembered for the job.
func TestTheRungIsRemembered(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "--gpus-per-node=2|2\n--gpus=2|2\n*|0"})
	f.Know(job7("a", "b"))
	w := f.watch("a", "b")
	w.reports("a", 1)
	w.reports("b", 1)
	before, _ := f.sruns()
	w.SetNodes([]string{"b"})
	w.first("end", func(e cluster.Event) bool { return e.Node == "a" && e.Gone })
	w.SetNodes([]string{"a", "b"})
	w.nth("second hello of a", 2, func(e cluster.Event) bool { return e.Node == "a" && e.Hello != nil })
	if started, _ := f.sruns(); len(started) != len(before)+1 || !strings.HasSuffix(started[len(before)], "--gpus=2") {
		t.Errorf("started %q", started)
	}
}

// A node that is dead keeps the step of the others from starting. They get another one without it.
func TestADeadNodeIsLeftOut(t *testing.T) {
	t.Parallel()
	dead := "srun: error: Task launch for StepId=7.1 failed on node b: Communication connection failure"
	f := newFake(t, map[string]string{"gpus": "*|2", "answers": "--nodelist=a,b,c|" + dead + "\n--nodelist=b|" + dead})
	f.Know(job7("a", "b", "c"))
	w := f.watch("a", "b", "c")
	w.reports("a", 1)
	w.reports("c", 1)
	if got := w.failure("b"); got.Class != reach.ClassTimeout || got.Short != "slurmd not responding" ||
		got.Words != dead {
		t.Errorf("got %+v", got)
	}
}

// The same, where SLURM takes a while to notice: the others do not wait for that, and do not notice.
func TestADeadNodeDoesNotDelayTheOthers(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2", "dead": "b|x"})
	f.Know(job7("a", "b", "c"))
	w := f.watch("a", "b", "c")
	w.reports("a", 1)
	w.reports("c", 1)
	if got := w.failure("b"); got.Class != reach.ClassTimeout || got.Cause != "Communication connection failure" {
		t.Errorf("got %+v", got)
	}
	if err := os.Remove(filepath.Join(f.dir, "dead")); err != nil {
		t.Fatal(err)
	}
	w.reports("b", 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Node != "b" && e.Down != nil {
			t.Errorf("%s was lost: %+v", e.Node, e.Down.Failure)
		}
	}
}

func TestNoJob(t *testing.T) {
	f := newFake(t, map[string]string{})
	f.Know(job7("a"))
	if why := f.Fits(t.Context(), "a"); why != "" {
		t.Errorf("does not fit: %s", why)
	}
	if why := f.Fits(t.Context(), "z"); why != "no running job of yours is known on the node" {
		t.Errorf("fits z: %q", why)
	}
	w := f.watch("z")
	if got := w.failure("z"); got.Class != reach.ClassAdopt || got.Stage != StageJob ||
		got.Summary() != "no running job on the node" {
		t.Errorf("got %+v", got)
	}
	f.program = "no-such-srun"
	if why := f.Fits(t.Context(), "a"); why != "srun is not in PATH on this host" {
		t.Errorf("fits without srun: %q", why)
	}
}

// The first job of a node stays the one through which it is reached.
func TestTheJobOfANode(t *testing.T) {
	d := New()
	d.Know([]Job{{ID: "1", Nodes: []string{"a"}}, {ID: "2", Nodes: []string{"a", "b"}}})
	if c := d.crewOf("a"); c.ID != "1" {
		t.Errorf("got %s", c.ID)
	}
	d.Know([]Job{{ID: "2", Nodes: []string{"a", "b"}}, {ID: "1", Nodes: []string{"a"}}})
	if c := d.crewOf("a"); c.ID != "1" {
		t.Errorf("another job in the same step: %s", c.ID)
	}
	d.Know([]Job{{ID: "2", Nodes: []string{"a", "b"}}})
	if c := d.crewOf("a"); c.ID != "2" {
		t.Errorf("the job that has ended is kept: %s", c.ID)
	}
}

// A step sees the GPUs of its job only. The job with the most of a node shows the most of it, and is the one that auto
// leaves ssh for.
func TestTheJobWithTheMostGPUsOfANode(t *testing.T) {
	job := func(id string, gpus map[string]int) Job { return Job{ID: id, Nodes: []string{"a"}, GPUs: gpus} }
	d := New()
	d.Know([]Job{job("1", nil), job("2", nil)})
	if c := d.crewOf("a"); c.ID != "1" {
		t.Errorf("got %s while nothing is known", c.ID)
	}
	d.Know([]Job{job("1", map[string]int{"a": 1}), job("2", map[string]int{"a": 3})})
	if c := d.crewOf("a"); c.ID != "2" {
		t.Errorf("got %s, which has fewer GPUs", c.ID)
	}
	d.Know([]Job{job("1", map[string]int{"a": 3}), job("2", map[string]int{"a": 3})})
	if c := d.crewOf("a"); c.ID != "2" {
		t.Errorf("got %s, although it has no more than the one before", c.ID)
	}
}
