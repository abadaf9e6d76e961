package srun

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// stop stops a process. It goes on when the test ends.
func stop(t *testing.T, pid int) (goOn func()) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err = errors.Join(err, p.Signal(syscall.SIGSTOP)); err != nil {
		t.Fatal(err)
	}
	goOn = func() { _ = p.Signal(syscall.SIGCONT) }
	t.Cleanup(goOn)
	return goOn
}

// stopSrun stops the only srun, which then ignores SIGTERM, as that of a suspended job does.
func (f *fake) stopSrun() {
	f.t.Helper()
	f.mu.Lock()
	steps := slices.Collect(maps.Keys(f.open))
	f.mu.Unlock()
	if len(steps) != 1 {
		f.t.Fatalf("%d steps", len(steps))
	}
	stop(f.t, steps[0].proc.Pid)
}

// A task that reads nothing does not keep requests from the others: they go on in another step, before srun is full.
// SLURM is not asked to kill the task, which ends when it can.
func TestATaskThatReadsNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	f.limits.unread = 20
	f.silence = time.Second
	f.Know(job7("a", "b", "c"))
	w := f.watch("a", "b", "c")
	for _, n := range []string{"a", "b", "c"} {
		w.reports(n, 1)
	}
	goOn := stop(t, w.hello("b").PID)
	w.failure("b")
	time.Sleep(f.limits.closing)
	for range 30 {
		if _, err := w.Ask(t.Context(), "a", wire.Request{Environ: &wire.ProcessID{PID: 1}}); err != nil {
			break
		}
	}
	for _, n := range []string{"a", "c"} {
		if got := w.failure(n); got.Summary() != "moving to another step" || !got.Next {
			t.Errorf("%s: %+v", n, got)
		}
		w.nth("second hello of "+n, 2, func(e cluster.Event) bool { return e.Node == n && e.Hello != nil })
	}
	if started, ended := f.sruns(); ended != 0 ||
		!slices.ContainsFunc(started, func(s string) bool { return strings.Contains(s, "--nodelist=a,c ") }) {
		t.Errorf("started %q, %d ended", started, ended)
	}
	goOn()
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
		if _, ended := f.sruns(); ended == 1 {
			return
		}
	}
	t.Error("the step with the task that went on does not end by itself")
}

// While a job is suspended its step is frozen, and srun with it.
func TestASuspendedJob(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	jobs := job7("a", "b")
	f.Know(jobs)
	w := f.watch("a", "b")
	w.reports("a", 1)
	w.reports("b", 1)
	f.stopSrun()
	jobs = job7("a", "b")
	jobs[0].Suspended = true
	f.Know(jobs)
	for _, n := range []string{"a", "b"} {
		if got := w.failure(n); got.Class != reach.ClassClosed || got.Summary() != "the job is suspended" {
			t.Errorf("%s: %+v", n, got)
		}
	}
	f.allEnd()
	if why := f.Fits(t.Context(), "a"); why != "job 7 is suspended" {
		t.Errorf("fits: %q", why)
	}
	f.Know(job7("a", "b"))
	w.nth("second hello of b", 2, func(e cluster.Event) bool { return e.Node == "b" && e.Hello != nil })
}

// No srun outlives this process, also if it ignores SIGTERM.
func TestCloseLeavesNoSrun(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	f.Know(job7("a"))
	w := f.watch("a")
	w.reports("a", 1)
	f.limits.closing = time.Minute
	f.stopSrun()
	w.end()
	began := time.Now()
	f.Close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	f.allEnd()
}

// squeue answers while steps start and fail. The race detector sees what is not protected.
func TestJobsAreToldWhileStepsStart(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"answers": "*|srun: error: Unable to create step for job 7: Step limit reached " +
		"for this job"})
	f.Know(job7("a"))
	w := f.watch("a")
	done := time.After(time.Second)
	for told := false; !told; {
		select {
		case <-done:
			told = true
		default:
			f.Know(job7("a"))
			time.Sleep(time.Millisecond)
		}
	}
	if got := w.failure("a"); len(got.Hints) == 0 {
		t.Errorf("%+v", got)
	}
}

// One that has been ending its step for a while is left alone: SLURM would keep the step in its list.
func TestCloseLeavesAnSrunThatEndsItsStep(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]string{"gpus": "*|2"})
	f.Know(job7("a"))
	w := f.watch("a")
	w.reports("a", 1)
	f.limits.closing = time.Minute
	f.mu.Lock()
	step := slices.Collect(maps.Keys(f.open))[0]
	f.mu.Unlock()
	_, _ = step.words.Write([]byte("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"))
	goOn := stop(t, step.proc.Pid)
	w.end()
	step.mu.Lock()
	step.closed = step.closed.Add(-10 * time.Second)
	step.mu.Unlock()
	f.Close()
	if _, ended := f.sruns(); ended != 0 {
		t.Error("it was killed")
	}
	goOn()
	f.allEnd()
}
