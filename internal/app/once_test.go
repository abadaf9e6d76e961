package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fakeFeed emits Events and then does what it is told to.
type fakeFeed struct {
	events []cluster.Event
	then   func(context.Context) error
}

func (f *fakeFeed) Run(ctx context.Context, emit func(cluster.Event)) error {
	for _, e := range f.events {
		e.At = time.Now()
		emit(e)
	}
	return f.then(ctx)
}

func (*fakeFeed) Touch()            {}
func (*fakeFeed) Leave()            {}
func (*fakeFeed) Refresh()          {}
func (*fakeFeed) Look(string, bool) {}
func (*fakeFeed) Ask(context.Context, string, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, errors.ErrUnsupported
}
func (*fakeFeed) Cancel(context.Context, string, string) error { return errors.ErrUnsupported }

// threeNodes are a node that reports, one that failed and one that authenticates.
func threeNodes() []cluster.Event {
	job := cluster.Job{ID: "1", Nodes: []string{"n1", "n2", "n3"}}
	return []cluster.Event{
		{Discovery: &cluster.Discovery{Asked: time.Now(), Answered: time.Now(), Jobs: []cluster.Job{job}}},
		{Node: "n1", Try: &cluster.Try{Interval: time.Second}}, {Node: "n1", Hello: &wire.Hello{}},
		{Node: "n1", Report: &wire.Report{}},
		{Node: "n2", Try: &cluster.Try{}},
		{Node: "n2", Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassAdopt, Short: "login refused"}}},
		{Node: "n3", Try: &cluster.Try{}}, {Node: "n3", Step: &reach.Step{Stage: "login", State: reach.StepBegan}},
	}
}

// runOnce runs once for a while and returns what it printed to stdout.
func runOnce(t *testing.T, f *fakeFeed, timeout time.Duration, errs io.Writer) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cfg := config.Default()
	cfg.JSON, cfg.Timeout = true, timeout
	failed := printed(printOnce)(t.Context(), &cfg, streams{out: out, err: errs}, f)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), failed
}

// Sessions that close slowly hold up neither what is printed nor, for long, the end. Then one line names the nodes that
// do not report.
func TestOnceEndsWithItsTimeout(t *testing.T) {
	slow := &fakeFeed{threeNodes(), func(context.Context) error { time.Sleep(3 * time.Second); return nil }}
	began := time.Now()
	text, err := runOnce(t, slow, 300*time.Millisecond, io.Discard)
	if took := time.Since(began); took > 1800*time.Millisecond { // the timeout, onceParting, and a busy machine
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(text, `"n3"`) {
		t.Errorf("printed %s", text)
	}
	exit, ok := errors.AsType[*exitError](err)
	if want := "2 of 3 nodes not reporting: n2 (login refused), n3 (authenticating)"; !ok || exit.code != exitFailed ||
		exit.err == nil || exit.err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A panic in a source is an error of the program, told in its words.
func TestOnceSurvivesAPanic(t *testing.T) {
	_, err := runOnce(t, &fakeFeed{threeNodes(), func(context.Context) error { panic("a source that panics") }},
		5*time.Second, io.Discard)
	exit, ok := errors.AsType[*exitError](err)
	if !ok || exit.code != exitFailed || exit.err == nil ||
		!strings.Contains(exit.err.Error(), "a source that panics") ||
		!strings.Contains(exit.err.Error(), "once_test.go") {
		t.Errorf("error %v", err)
	}
}

// terminal returns both ends of a terminal, and what is written to it until the test closes it.
func terminal(t *testing.T) (tty *os.File, written func() string) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&text, master) // its error is the end
	}()
	return tty, func() string {
		tty.Close()
		<-done
		master.Close()
		return text.String()
	}
}

func TestOnceSaysWhatItWaitsFor(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, written := terminal(t)
	hangs := &fakeFeed{threeNodes(), func(ctx context.Context) error { <-ctx.Done(); return nil }}
	_, _ = runOnce(t, hangs, 2*time.Second, tty)
	if got, want := written(), "\rwaiting for 1 of 3 nodes: n3 (authenticating)\x1b[K\r\x1b[K"; got != want {
		t.Errorf("%q on the terminal, want %q", got, want)
	}
	var file bytes.Buffer
	if _, _ = runOnce(t, hangs, 1200*time.Millisecond, &file); file.Len() > 0 {
		t.Errorf("%q without a terminal", file.String())
	}
}

func TestWaitingForFits(t *testing.T) {
	snap := &cluster.Snapshot{Nodes: map[string]*cluster.Node{}, Jobs: make([]cluster.JobView, 1)}
	for _, name := range []string{"gpu-n01", "gpu-n02", "gpu-n03"} {
		snap.Jobs[0].Nodes = append(snap.Jobs[0].Nodes, name)
		snap.Nodes[name] = &cluster.Node{Name: name, State: cluster.NodeStale}
	}
	for width, want := range map[int]string{
		110: "waiting for 3 of 3 nodes: gpu-n01 (not responding), gpu-n02 (not responding), gpu-n03 (not responding)",
		80:  "waiting for 3 of 3 nodes: gpu-n01 (not responding) and 2 more",
		40:  "waiting for 3 of 3 nodes",
		20:  "waiting for 3 of 3 nodes",
	} {
		if got := waitingFor(snap, width); got != want {
			t.Errorf("%q in %d columns, want %q", got, width, want)
		}
	}
	asking := cluster.Snapshot{Discovery: cluster.Discovery{Asking: true},
		Jobs: []cluster.JobView{{Job: cluster.Job{Nodes: []string{"n1"}}}}}
	asking.Nodes = map[string]*cluster.Node{"n1": {Name: "n1", State: cluster.NodeReporting}}
	if got := waitingFor(&asking, 80); got != "waiting for SLURM to say which GPUs the jobs have" {
		t.Errorf("while GPUs are asked for: %q", got)
	}
	if got := waitingFor(&cluster.Snapshot{}, 80); got != "waiting for SLURM" {
		t.Errorf("%q before the first answer", got)
	}
}

// A panic in a source ends the screen and gives the terminal back.
func TestWatchSurvivesAPanic(t *testing.T) {
	tty, written := terminal(t)
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	panics := &fakeFeed{threeNodes(), func(context.Context) error { time.Sleep(300 * time.Millisecond); panic("a source that panics") }}
	cfg := config.Default()
	cfg.Demo, cfg.Theme = config.DefaultDemo, "dark" // remembers nothing, asks the terminal nothing
	failed := watch(t.Context(), &cfg, streams{in: tty, out: tty, err: io.Discard}, panics)
	after, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if failed == nil || !strings.Contains(failed.Error(), "a source that panics") || *after != *before {
		t.Errorf("error %v; the terminal is as before: %t", failed, *after == *before)
	}
	if !strings.Contains(written(), "\x1b[?1049l") {
		t.Error("the screen is still on the terminal")
	}
}

// BenchmarkLargeJSON is what one document of 1,024 nodes with 8 GPUs costs: go test ./internal/app -run - -bench
// LargeJSON -benchtime 3x
func BenchmarkLargeJSON(b *testing.B) {
	before := cpuTime(b)
	for b.Loop() {
		out, err := os.Create(filepath.Join(b.TempDir(), "out"))
		if err != nil {
			b.Fatal(err)
		}
		// a node refuses the login
		if code := Main([]string{"--json", "--demo=1024x8"}, out, out, io.Discard); code != exitFailed {
			b.Errorf("exit code %d", code)
		}
		out.Close()
	}
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}

// cpuTime is the time that this process has spent on all CPUs.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(unix.TimevalToNsec(u.Utime) + unix.TimevalToNsec(u.Stime))
}
