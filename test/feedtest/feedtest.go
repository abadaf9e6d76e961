// Package feedtest has feeds for tests of outputs, and the surroundings of the program: a terminal, a squeue, a
// recording.
package feedtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/source/recording"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// Feed emits Events and then runs a function.
type Feed struct {
	Events []cluster.Event
	Then   func(context.Context) error
}

func (f *Feed) Run(ctx context.Context, emit func(cluster.Event)) error {
	for _, e := range f.Events {
		e.At = time.Now()
		emit(e)
	}
	return f.Then(ctx)
}

func (*Feed) Touch() {}

func (*Feed) Leave() {}

func (*Feed) Refresh() {}

func (*Feed) Look(string, bool) {}
func (*Feed) ListJobs(bool)     {}

func (*Feed) Ask(context.Context, string, wire.Request) (wire.Reply, error) {
	return wire.Reply{}, errors.ErrUnsupported
}

func (*Feed) Cancel(context.Context, string, string) error { return errors.ErrUnsupported }

func (*Feed) Cluster(context.Context, bool) (*capacity.Cluster, error) {
	return nil, errors.ErrUnsupported
}

// Waiting implements source.Controls.
func (*Feed) Waiting(context.Context, string) (*queue.Wait, error) { return nil, errors.ErrUnsupported }

// Accounts implements source.Controls.
func (*Feed) Accounts(context.Context, string) ([]sacct.Job, error) {
	return nil, errors.ErrUnsupported
}

func (*Feed) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{}, errors.ErrUnsupported
}

// ThreeNodes are a node that reports, one that failed and one that authenticates.
func ThreeNodes() []cluster.Event {
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

// Discovery is an answer of squeue.
func Discovery(d cluster.Discovery) cluster.Event {
	d.Command, d.User, d.Asked, d.Answered = "squeue --me", "alice", time.Now(), time.Now()
	return cluster.Event{Discovery: &d}
}

// JobThatReports is a job on a node that reports.
func JobThatReports() []cluster.Event {
	return []cluster.Event{
		Discovery(cluster.Discovery{Jobs: []cluster.Job{{ID: "7", Number: "7", Name: "train", Nodes: []string{"n1"},
			Minors: map[string][]int{"n1": {0}}}, {ID: "9_1", Number: "12"}}}),
		{Node: "n1", Try: &cluster.Try{Interval: time.Second}},
		{Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(0), UUID: "a"}}}},
		{Node: "n1", Report: &wire.Report{GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 42})}}}},
	}
}

// PolledJob is a job on two nodes that a poller watches: they say farewell when it ends, as those of a cluster do.
type PolledJob struct {
	*poller.Manager
	Feed

	mu      sync.Mutex     // protects the following
	reports map[string]int // number of reports of each node
}

// NewPolledJob returns the job of JobThatReports with a second node.
func NewPolledJob() *PolledJob {
	return &PolledJob{Manager: poller.New(poller.Config{Opener: steadyNodes{}, Interval: steadyPace, Retries: 1}),
		reports: map[string]int{}}
}

// Run implements cluster.Source.
func (j *PolledJob) Run(ctx context.Context, emit func(cluster.Event)) error {
	nodes := []string{"n1", "n2"}
	asked := Discovery(cluster.Discovery{Jobs: []cluster.Job{{
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

// Reported waits until each node has sent some more reports.
func (j *PolledJob) Reported(t *testing.T) {
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

func (j *PolledJob) Touch()                           { j.Manager.Touch() }
func (j *PolledJob) Leave()                           { j.Manager.Leave() }
func (j *PolledJob) ListJobs(bool)                    {}
func (j *PolledJob) Look(node string, processes bool) { j.Manager.Look(node, processes) }
func (j *PolledJob) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	return j.Manager.Ask(ctx, node, r)
}

// steadyNodes are nodes that report forever, at this pace.
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
		return wire.Message{Hello: &wire.Hello{Build: wire.BuildVersion(),
			GPUs: []wire.Card{{Minor: new(0), UUID: "a"}}}}, nil
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

// Terminal returns both ends of a terminal, and everything written to it until the test closes it.
func Terminal(t *testing.T) (tty *os.File, written func() string) {
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
		_, _ = io.Copy(&text, master) // an error means the end
	}()
	return tty, func() string {
		_ = tty.Close()
		<-done
		_ = master.Close()
		return text.String()
	}
}

// Squeue puts a squeue into PATH that runs a script.
func Squeue(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	stubs.Write(t, dir, "squeue", script)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Recording records some minutes of the demo.
func Recording(t *testing.T) (path string) {
	t.Helper()
	const poll = 3 * time.Second
	path = filepath.Join(t.TempDir(), "run.nvr")
	Record(t, path, poll, demo.New(2, 4, demo.Seed, poll, 12*time.Minute), func(cluster.Event) {})
	return path
}

// Record records a Source until now, and shows each Event.
func Record(t *testing.T, path string, poll time.Duration, from cluster.Source, see func(cluster.Event)) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	w, now := recording.NewWriter(recording.Header{Poll: poll}), time.Now()
	if err := w.Begin(file, now); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = from.Run(ctx, func(e cluster.Event) {
		if see(e); w.Write(e) != nil || e.At.After(now) {
			cancel()
		}
	})
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// EndsWell checks the recording of an output that is interrupted: it ends with both nodes as they were.
func EndsWell(t *testing.T, path string, out func(context.Context, *PolledJob) error) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	from := NewPolledJob()
	ended := source.StartTask(func() error { return out(ctx, from) })
	from.Reported(t)
	interrupt()
	if done, err := ended.Wait(10 * time.Second); !done || err != nil {
		t.Fatalf("ended %v, %v", done, err)
	}
	Ends(t, path)
}

// Replay reads a whole recording, and returns its end.
func Replay(t *testing.T, path string, see func(cluster.Event)) (end time.Time) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(t.Context(), file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	if r.Cut {
		t.Errorf("%s is cut", path)
	}
	if err := r.Run(t.Context(), see); err != nil {
		t.Fatal(err)
	}
	return r.End
}

// Ends checks that a recording of a PolledJob ends with both nodes as they were.
func Ends(t *testing.T, path string) {
	t.Helper()
	store := store.New(3*time.Second, health.Rules(health.Defaults()))
	end := Replay(t, path, store.Apply)
	s := store.Snapshot(end)
	if a, b := s.Nodes["n1"], s.Nodes["n2"]; len(s.Nodes) != 2 || a.State != cluster.NodeReporting ||
		b.State != cluster.NodeReporting {
		t.Errorf("the recording ends with %+v", s.Nodes)
	}
}
