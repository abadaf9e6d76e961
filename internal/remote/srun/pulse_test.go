package srun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// inProcess is a step whose srun is this process: real probes, without nodes.
type inProcess struct {
	t        *testing.T
	s        *step
	tasks    map[string]*inTask
	sessions map[string]*link.Session

	stuck    atomic.Bool // nothing is passed on
	printing sync.Mutex  // one reads what srun prints
}

// inTask is a probe of an inProcess.
type inTask struct {
	label int
	of    *inProcess
	in    *io.PipeWriter
	read  atomic.Int64 // lines, for itself or others
	deaf  atomic.Bool  // it reads nothing
	ended chan error
}

// newInProcess is a step with so many nodes, each with a session.
func newInProcess(t *testing.T, nodes int) *inProcess {
	t.Helper()
	p := &inProcess{t: t, s: newQuietStep(names(nodes)...), tasks: map[string]*inTask{},
		sessions: map[string]*link.Session{}}
	p.s.in = p
	// Nothing of this machine: a probe of another test that is about to exit seems to hang, as the time here passes at
	// once.
	proc := fakeproc.Write(t, nil)
	for label, node := range p.s.nodes {
		in, to := io.Pipe()
		task := &inTask{label: label, of: p, in: to, ended: make(chan error, 1)}
		p.tasks[node] = task
		go func() {
			_, _ = fmt.Fprintln(task, taskMark+node)
			task.ended <- probe.Run(context.Background(), in, task,
				probe.Options{Build: "test", Library: fakeLibrary(0), Name: node, Fold: fold, Proc: proc})
			_ = in.Close()
		}()
	}
	for _, node := range p.s.nodes {
		session, err := stepOpener{p.s}.Open(t.Context(), node, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.sessions[node] = session.(*link.Session)
	}
	return p
}

// Write is srun's input: it goes to all tasks.
func (p *inProcess) Write(lines []byte) (int, error) {
	for _, task := range p.tasks {
		if task.deaf.Load() || p.stuck.Load() {
			continue
		}
		if _, err := task.in.Write(lines); err == nil {
			task.read.Add(int64(bytes.Count(lines, []byte("\n"))))
		}
	}
	return len(lines), nil
}

func (p *inProcess) Close() error {
	for _, task := range p.tasks {
		_ = task.in.Close()
	}
	return nil
}

// Write is the output of a task, which srun prints.
func (t *inTask) Write(lines []byte) (int, error) {
	t.of.printing.Lock()
	defer t.of.printing.Unlock()
	for line := range bytes.Lines(lines) {
		t.of.s.handleOutput(t.label, line)
	}
	return len(lines), nil
}

// ended reports whether the probes of nodes have ended, well.
func (p *inProcess) ended(nodes ...string) bool {
	p.t.Helper()
	for _, node := range nodes {
		select {
		case err := <-p.tasks[node].ended:
			if err != nil {
				p.t.Errorf("the probe of %s: %v", node, err)
			}
			p.tasks[node].ended <- err
		default:
			return false
		}
	}
	return true
}

// finish closes the sessions, which ends the probes.
func (p *inProcess) finish() {
	p.t.Helper()
	var closing sync.WaitGroup
	for _, session := range p.sessions {
		closing.Go(func() { _ = session.Close() })
	}
	closing.Wait()
	for _, task := range p.tasks {
		task.deaf.Store(false)
	}
	_ = p.Close() // the step has no srun that would
	synctest.Wait()
	if !p.ended(slices.Collect(maps.Keys(p.tasks))...) {
		p.t.Error("a probe goes on")
	}
	p.s.end(nil)
}

// Each node reads all that is sent to any. While nothing else happens that does not grow with the number of nodes, and
// all of them live.
func TestSignsOfLifeDoNotGrowWithTheNodes(t *testing.T) {
	for _, nodes := range []int{1, 5, 50} {
		synctest.Test(t, func(t *testing.T) {
			p := newInProcess(t, nodes)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			for _, task := range p.tasks {
				if got, want := task.read.Load(), int64(2*time.Minute/link.DefaultLimits.Alive); got != want {
					t.Errorf("one of %d nodes read %d lines in 2 minutes, want %d", nodes, got, want)
				}
			}
			for node, session := range p.sessions {
				reply, err := session.Call(t.Context(), wire.Request{Alive: &wire.Alive{}})
				if err != nil || reply.Error != "" {
					t.Errorf("%s of %d: %+v, %v", node, nodes, reply, err)
				}
			}
			p.finish()
		})
	}
}

// A task that is stopped is found out, by nobody but its own session. When it goes on it hears that it is not wanted,
// although the others are.
func TestAStoppedTaskAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newInProcess(t, 3)
		time.Sleep(time.Minute)
		p.tasks["n01"].deaf.Store(true)
		began := time.Now()
		for _, err := p.sessions["n01"].Next(); !errors.Is(err, link.ErrSilent); _, err = p.sessions["n01"].Next() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > link.DefaultLimits.Silence {
			t.Errorf("it took %v", took)
		}
		p.tasks["n01"].deaf.Store(false)
		_ = p.sessions["n01"].Close()
		synctest.Wait()
		if !p.ended("n01") {
			t.Error("the probe that nobody wants goes on")
		}
		time.Sleep(5 * time.Minute)
		for _, node := range []string{"n00", "n02"} {
			if _, err := p.sessions[node].Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil ||
				p.ended(node) {
				t.Errorf("%s: %v", node, err)
			}
		}
		p.finish()
	})
}

// SLURM may give up a node whose probe lives. The signs of life of the others would keep it there.
func TestTheProbeOfALostNodeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newInProcess(t, 3)
		p.s.handleErrors(-1, []byte("srun: error: Node failure on n01\n"))
		if _, err := p.sessions["n01"].Next(); err != nil { // its Hello
			t.Fatal(err)
		}
		if _, err := p.sessions["n01"].Next(); err == nil {
			t.Error("its session goes on")
		}
		time.Sleep(5 * time.Minute)
		if !p.ended("n01") {
			t.Error("the probe of the lost node goes on")
		}
		if p.ended("n00") || p.ended("n02") {
			t.Error("so have others")
		}
		p.finish()
	})
}

// Probes end by themselves when nothing is sent any more, as by an nvnodetop that has stopped.
func TestNoSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newInProcess(t, 3)
		time.Sleep(time.Minute)
		p.stuck.Store(true)
		time.Sleep(wire.SilenceMS*time.Millisecond + time.Second)
		for node, task := range p.tasks {
			if err := <-task.ended; !errors.Is(err, probe.ErrSilence) {
				t.Errorf("the probe of %s: %v", node, err)
			}
			task.ended <- nil
		}
		p.finish()
	})
}
