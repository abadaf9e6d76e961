package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// fake is a door whose attempts fail, or hang, or lead to a session.
type fake struct {
	failure *reach.Failure
	hangs   bool
	mute    bool // sends no report
	hello   wire.Hello
	open    *atomic.Int32 // sessions
}

func (d fake) Route(context.Context, string) reach.Route {
	return reach.Route{Stages: []reach.Stage{"login"}}
}

func (d fake) Open(ctx context.Context, _ string, step func(reach.Step)) (poller.Session, error) {
	step(reach.Step{Stage: "login", State: reach.StepBegan})
	if d.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if d.failure != nil {
		step(reach.Step{Stage: "login", State: reach.StepFailed, Took: time.Second})
		return nil, d.failure
	}
	step(reach.Step{Stage: "login", State: reach.StepDone, Text: "welcome"})
	d.open.Add(1)
	s := &fakeSession{fake: d, paced: make(chan struct{}), closed: make(chan struct{})}
	return s, nil
}

type fakeSession struct {
	fake
	sent          int
	paced, closed chan struct{}
}

func (s *fakeSession) Noise() string { return "hello\n" }

func (s *fakeSession) Next() (wire.Message, error) {
	if s.sent++; s.sent == 1 {
		return wire.Message{Hello: &s.hello}, nil
	}
	paced := s.paced
	if s.mute {
		paced = nil
	}
	select {
	case <-paced:
		return wire.Message{Report: &wire.Report{Listed: s.sent > 2}}, nil
	case <-s.closed:
		return wire.Message{}, errors.New("closed")
	}
}

func (s *fakeSession) Call(_ context.Context, r wire.Request) (wire.Reply, error) {
	if r.Pace != nil && r.Pace.Processes {
		close(s.paced)
	}
	return wire.Reply{}, nil
}

func (s *fakeSession) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
		s.open.Add(-1)
	}
	return nil
}

// collect examines node n1, on which job 7 has two GPUs and job 8 none, through doors named ssh, openssh and srun.
func collect(t *testing.T, ctx context.Context, ssh, openssh, srun fake) *Node {
	t.Helper()
	var open atomic.Int32
	ssh.open, openssh.open, srun.open = &open, &open, &open
	quiet := func(context.Context, ...string) (stdout, stderr []byte, err error) { return nil, nil, nil }
	jobs := []remote.KnownJob{{ID: "7", Nodes: []string{"n1"}, GPUs: map[string]int{"n1": 2}},
		{ID: "8", Nodes: []string{"n1"}, GPUs: map[string]int{"n1": 0}}}
	f := Collect(ctx, &Options{
		Names: []string{"n1"}, Run: quiet, Client: slurm.New(quiet),
		Doors: []remote.Candidate{{Name: "ssh", Kind: remote.KindSSH, Opener: ssh},
			{Name: "openssh", Kind: remote.KindSSH, Opener: openssh}, {Name: "srun", Kind: remote.KindSLURM, Opener: srun}},
		Know:     func([]cluster.Job) []remote.KnownJob { return jobs },
		Progress: func(string) {},
	})
	if open.Load() != 0 {
		t.Errorf("%d sessions are left", open.Load())
	}
	return &f.Nodes[0]
}

func TestTheChoiceIsThatOfTheProgram(t *testing.T) {
	in := func(job string, gpus int) fake {
		return fake{hello: wire.Hello{Job: job, GPUs: make([]wire.Card, gpus)}}
	}
	no := func(c reach.Class) fake {
		return fake{failure: &reach.Failure{Class: c, Short: string(c), Stage: "login"}}
	}
	for name, c := range map[string]struct {
		ssh, openssh, srun fake
		want               string
	}{
		"all work":            {in("7", 2), in("7", 2), in("7", 2), "ssh"},
		"refused":             {no(reach.ClassAuth), in("7", 2), in("7", 2), "openssh"},
		"no sshd":             {no(reach.ClassRefused), no(reach.ClassRefused), in("7", 2), "srun"},
		"in the wrong job":    {in("8", 0), in("8", 0), in("7", 2), "srun"},
		"in it, and no step":  {in("8", 0), in("8", 0), no(reach.ClassSlurm), "ssh"},
		"the host key is new": {no(reach.ClassHostKeyChanged), in("7", 2), in("7", 2), "srun"},
		"a full disk":         {no(reach.ClassNoSpace), in("7", 2), in("7", 2), ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := collect(t, t.Context(), c.ssh, c.openssh, c.srun)
			if n.Choice != c.want || (n.None == nil) != (c.want != "") {
				t.Errorf("choice %q, none %v", n.Choice, n.None)
			}
			if w := &n.Ways[2]; w.Report != nil && (!w.Report.Listed || w.Noise != "hello\n" ||
				w.Steps[0].Text != "welcome") {
				t.Errorf("%+v", w)
			}
		})
	}
}

// A node that does not report is left alone after a while, and an interrupted examination ends at once.
func TestNoStepIsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		n := collect(t, t.Context(), fake{mute: true}, fake{}, fake{})
		if w := &n.Ways[0]; w.Broken == nil || w.Broken.Class != reach.ClassSilent || w.Reported != reportWithin ||
			time.Since(began) != reportWithin || n.Ways[1].Report == nil {
			t.Errorf("%+v after %v", w, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		began = time.Now()
		n = collect(t, ctx, fake{hangs: true}, fake{}, fake{})
		if !n.Ways[0].Stopped || !n.Ways[2].Stopped || n.Choice != "" || time.Since(began) != time.Minute {
			t.Errorf("%+v after %v", n, time.Since(began))
		}
	})
}

// A job about which the user asks is examined on its own nodes, and its ranks are asked once.
func TestTheRanksOfAJob(t *testing.T) {
	squeue := func(_ context.Context, command ...string) (stdout, stderr []byte, err error) { return nil, nil, nil }
	for job, want := range map[string]struct {
		asked int
		nodes string
	}{"8": {1, "[n2]"}, "9": {0, "[]"}, "": {0, "[n1 n2]"}} {
		asked := 0
		o := &Options{Facts: Facts{Job: AskedJob{ID: job}}, Run: squeue, Client: slurm.New(squeue),
			Know: func([]cluster.Job) []remote.KnownJob { return nil }, Progress: func(string) {},
			Heard: &SqueueAnswer{Answer: &slurm.Answer{Jobs: []cluster.Job{{ID: "7", Number: "7", Nodes: []string{"n1"}},
				{ID: "8", Number: "8", Nodes: []string{"n2"}}}}},
			Stacks: func(context.Context) (*rankstacks.Verdict, error) {
				asked++
				return stuck(), nil
			}}
		f := Collect(t.Context(), o)
		var names []string
		for i := range f.Nodes {
			names = append(names, f.Nodes[i].Name)
		}
		if asked != want.asked || fmt.Sprint(names) != want.nodes || (f.Job.Stacks != nil) != (asked > 0) {
			t.Errorf("job %q: %d questions, nodes %v, %+v", job, asked, names, f.Job)
		}
	}
}
