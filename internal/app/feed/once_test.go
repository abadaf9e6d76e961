package feed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// runOnce runs once for a while and returns what it printed to stdout.
func runOnce(t *testing.T, f *feedtest.Feed, timeout time.Duration, errs io.Writer) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: errs}}
	p.Config.Timeout = timeout
	print := func(s *cluster.Snapshot) error { return export.JSON(out, export.Document(s)) }
	failed := Printed(p, Need{}, print, Verdict)(t.Context(), f)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), failed
}

// Sessions that close slowly hold up neither what is printed nor, for long, the end. Then one line names the nodes
// that do not report.
func TestOnceEndsWithItsTimeout(t *testing.T) {
	slow := &feedtest.Feed{Events: feedtest.ThreeNodes(), Then: func(context.Context) error {
		time.Sleep(3 * time.Second)
		return nil
	}}
	began := time.Now()
	text, err := runOnce(t, slow, 300*time.Millisecond, io.Discard)
	if took := time.Since(began); took > 1800*time.Millisecond { // the timeout, ShortParting, and a busy machine
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(text, `"n3"`) {
		t.Errorf("printed %s", text)
	}
	exit, ok := errors.AsType[*cli.ExitError](err)
	if want := "2 of 3 nodes not reporting: n2 (login refused), n3 (login not finished after 0s)"; !ok || exit.Code != cli.ExitFailed ||
		exit.Err == nil || exit.Err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A panic in a source is an error of the program, told in its words.
func TestOnceSurvivesAPanic(t *testing.T) {
	_, err := runOnce(t, &feedtest.Feed{Events: feedtest.ThreeNodes(), Then: func(context.Context) error { panic("a source that panics") }},
		5*time.Second, io.Discard)
	exit, ok := errors.AsType[*cli.ExitError](err)
	if !ok || exit.Code != cli.ExitFailed || exit.Err == nil ||
		!strings.Contains(exit.Err.Error(), "a source that panics") ||
		!strings.Contains(exit.Err.Error(), "once_test.go") {
		t.Errorf("error %v", err)
	}
}

func TestOnceSaysWhatItWaitsFor(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, written := feedtest.Terminal(t)
	hangs := &feedtest.Feed{Events: feedtest.ThreeNodes(), Then: func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}}
	once := func(to io.Writer) {
		synctest.Test(t, func(t *testing.T) { _, _ = runOnce(t, hangs, 1900*time.Millisecond, to) })
	}
	once(tty)
	if got, want := written(), "\rwaiting for 1 of 3 nodes: n3 (authenticating)\x1b[K\r\x1b[K"; got != want {
		t.Errorf("%q on the terminal, want %q", got, want)
	}
	var file bytes.Buffer
	if once(&file); file.Len() > 0 {
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
