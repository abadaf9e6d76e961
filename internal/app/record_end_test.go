package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nvnodetop/nvnodetop/internal/build"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/web"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// polledJob is a job on two nodes that a poller watches: they say farewell when it ends, as those of a cluster do.
type polledJob struct {
	*poller.Manager
	fakeFeed

	mu      sync.Mutex     // protects the following
	reports map[string]int // that came of each node
}

// newPolledJob returns the job of jobThatReports on one node more.
func newPolledJob() *polledJob {
	return &polledJob{Manager: poller.New(poller.Config{Opener: steadyNodes{}, Interval: steadyPace, Retries: 1}),
		reports: map[string]int{}}
}

// Run implements cluster.Source.
func (j *polledJob) Run(ctx context.Context, emit func(cluster.Event)) error {
	nodes := []string{"n1", "n2"}
	asked := discovery(cluster.Discovery{Jobs: []cluster.Job{{
		ID: "7", Number: "7", Name: "train", Nodes: nodes, Minors: map[string][]int{"n1": {0}, "n2": {0}},
	}}})
	asked.At = time.Now()
	emit(asked)
	j.SetNodes(nodes)
	j.Manager.Run(ctx, func(e cluster.Event) {
		emit(e)
		if e.Report != nil {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.reports[e.Node]++
		}
	})
	return nil
}

// reported waits until each node has sent some more reports.
func (j *polledJob) reported(t *testing.T) {
	t.Helper()
	count := func(node string) int {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.reports[node]
	}
	for _, node := range []string{"n1", "n2"} {
		for began, had := time.Now(), count(node); count(node) < had+3; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("%s does not report", node)
			}
		}
	}
}

func (j *polledJob) Touch()                           { j.Manager.Touch() }
func (j *polledJob) Leave()                           { j.Manager.Leave() }
func (j *polledJob) Look(node string, processes bool) { j.Manager.Look(node, processes) }
func (j *polledJob) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	return j.Manager.Ask(ctx, node, r)
}

// steadyNodes are nodes that report for ever, at this pace.
type steadyNodes struct{}

const steadyPace = 100 * time.Millisecond

func (steadyNodes) Route(context.Context, string) reach.Route { return reach.Route{Door: "ssh"} }

func (steadyNodes) Open(context.Context, string, func(reach.Step)) (poller.Session, error) {
	return &steadySession{closed: make(chan struct{})}, nil
}

type steadySession struct {
	once   sync.Once
	closed chan struct{}
	said   bool
}

func (s *steadySession) Next() (wire.Message, error) {
	if !s.said {
		s.said = true
		return wire.Message{Hello: &wire.Hello{Build: build.Version(), GPUs: []wire.Card{{Minor: new(0), UUID: "a"}}}},
			nil
	}
	values := metric.Make(map[metric.ID]float64{metric.Util: 42})
	select {
	case <-time.After(steadyPace):
		return wire.Message{Report: &wire.Report{GPUs: []wire.GPU{{Values: values}}}}, nil
	case <-s.closed:
		return wire.Message{}, io.ErrClosedPipe
	}
}

func (s *steadySession) Call(context.Context, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, nil
}

func (s *steadySession) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// endsWell checks that a recording ends with both nodes as they were.
func endsWell(t *testing.T, path string) {
	t.Helper()
	code, out, errs := program(t, "replay", "--json", path)
	var d struct {
		Nodes []struct{ Name, State string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitOK || errs != "" {
		t.Fatalf("replay: exit code %d, stderr %q, %v\n%.500s", code, errs, err, out)
	}
	if len(d.Nodes) != 2 || d.Nodes[0].State != "reporting" || d.Nodes[1].State != "reporting" {
		t.Errorf("the recording ends with %+v", d.Nodes)
	}
}

// However a recording ends, its last state is the one before the sessions were closed.
func TestARecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	cfg := config.Default()
	cfg.Job = "7"
	observer := func() *report.Observer { return report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds)) }
	for name, recorded := range map[string]func(t *testing.T, path string) show{
		"record": func(t *testing.T, path string) show {
			r := &recorder{path: path, w: recording.NewWriter(recording.Header{Poll: cfg.Poll})}
			if err := r.begin(time.Now()); err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
				defer func() { _ = r.end() }()
				return r.show(ctx, cfg, io, from)
			}
		},
		"serve --record": func(t *testing.T, path string) show {
			s := &serve{place: web.Place{Address: "unix:" + path + ".sock"}, names: "nvnodetop"}
			var err error
			if s.listener, err = web.Listen(s.place); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.listener.Close() })
			return alongside(path, s.show)
		},
		"track --job --record": func(_ *testing.T, path string) show {
			return alongside(path, func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
				_, err := observeJob(ctx, cfg, io, from)
				return err
			})
		},
		"track --record of a command": func(_ *testing.T,
			path string) show {
			return alongside(path, aside(observer()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.nvr")
			out := recorded(t, path)
			ctx, interrupt := context.WithCancel(t.Context())
			var errs bytes.Buffer
			from := newPolledJob()
			ended := session.Go(func() error { return out(ctx, &cfg, streams{err: &errs}, from) })
			from.reported(t)
			interrupt()
			if done, err := ended.Wait(10 * time.Second); !done || err != nil {
				t.Fatalf("ended %v, %v, stderr %q", done, err, errs.String())
			}
			endsWell(t, path)
		})
	}
}

// The same when the screens end with a recording that Ctrl-K began.
func TestARecordingOnCallEndsWithTheNodesAsTheyWere(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, master) }()
	cfg := config.Default()
	from := newPolledJob()
	ended := session.Go(func() error {
		return watch(t.Context(), &cfg, streams{in: tty, out: tty, err: io.Discard}, from)
	})
	press := func(key string, until func() bool) {
		t.Helper()
		for began := time.Now(); !until(); {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("%q does nothing", key)
			}
			time.Sleep(100 * time.Millisecond)
			if _, err := master.WriteString(key); err != nil {
				t.Fatal(err)
			}
			key = ""
		}
	}
	from.reported(t)
	press("\x0b", func() bool { files, _ := filepath.Glob("*.nvr"); return len(files) == 1 })
	from.reported(t)
	press("q", func() bool { done, _ := ended.Wait(0); return done })
	files, _ := os.ReadDir(".")
	if len(files) != 1 || !strings.HasPrefix(files[0].Name(), "nvnodetop-7-") {
		t.Fatalf("files %v", files)
	}
	endsWell(t, files[0].Name())
}
