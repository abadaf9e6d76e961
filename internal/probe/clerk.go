package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// clerk answers what is asked of the node, all from one goroutine. It never calls into the driver, which may hang.
type clerk struct {
	out   *output
	now   func() Moment
	procs *localProcesses
}

func newClerk(out *output, opts Options) *clerk {
	opts = opts.complete()
	return &clerk{out: out, now: opts.Now, procs: newLocalProcesses(opts.Proc)}
}

// run answers until ctx ends or out cannot be written.
func (c *clerk) run(ctx context.Context, asked <-chan request) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-asked:
			if err := c.answer(r); err != nil {
				return err
			}
		}
	}
}

func (c *clerk) answer(r request) error {
	reply, err := replyTo(r, nil), check(r)
	switch {
	case err != nil:
	case r.Environ != nil:
		reply.Environ, err = c.environ(*r.Environ)
	case r.Process != nil:
		reply.Process, err = c.details(*r.Process)
	}
	if err != nil {
		reply = replyTo(r, err)
	}
	return c.out.write(wire.Message{Reply: reply})
}

// replyTo is the reply to r that has no result.
func replyTo(r request, err error) *wire.Reply {
	reply := &wire.Reply{ID: r.ID}
	if err != nil {
		reply.Error = err.Error()
	}
	return reply
}

// check says what is wrong with a request.
func check(r request) error {
	asked := 0
	for _, is := range []bool{r.Pace != nil, r.Alive != nil, r.Environ != nil, r.Process != nil} {
		if is {
			asked++
		}
	}
	switch {
	case r.err != nil:
		return r.err
	case asked != 1:
		return errors.New("a request asks for exactly one thing that this probe knows: pace, alive, environ or process")
	case r.Pace != nil && (r.Pace.IntervalMS < minInterval || r.Pace.IntervalMS > maxInterval):
		return fmt.Errorf("interval of %d ms is not within %d and %d", r.Pace.IntervalMS, minInterval, maxInterval)
	}
	return nil
}

// find returns the process that id names, and no other that has its number now.
func (c *clerk) find(id wire.ProcessID) (procfs.Proc, procfs.ProcStat, error) {
	if id.PID <= 0 {
		return procfs.Proc{}, procfs.ProcStat{}, fmt.Errorf("%d is no number of a process", id.PID)
	}
	proc, err := c.procs.proc.Proc(id.PID)
	if err != nil {
		return proc, procfs.ProcStat{}, fmt.Errorf("there is no process %d", id.PID)
	}
	stat, err := proc.Stat()
	switch {
	case err != nil:
		return proc, stat, fmt.Errorf("there is no process %d any more", id.PID)
	case stat.Starttime != id.StartTicks:
		return proc, stat, fmt.Errorf("pid %d is another process now", id.PID)
	}
	return proc, stat, nil
}

// environ reads the environment of a process of one's own. That of another user is nobody's business, even for root. Whose process it
// is, and which, is looked at again afterwards: the number may have been given anew meanwhile.
func (c *clerk) environ(id wire.ProcessID) (*wire.Environ, error) {
	proc, _, err := c.find(id)
	if err != nil {
		return nil, err
	}
	status, err := proc.NewStatus()
	if err != nil {
		return nil, fmt.Errorf("there is no process %d any more", id.PID)
	}
	if uid := int(status.UIDs[0]); uid != os.Getuid() {
		return nil, fmt.Errorf("process %d is %s's: only one's own processes tell their environment", id.PID, c.procs.userName(uid))
	}
	variables, err := proc.Environ()
	if err != nil {
		return nil, fmt.Errorf("the environment of process %d cannot be read: %w", id.PID, err)
	}
	if _, _, err := c.find(id); err != nil {
		return nil, err
	}
	e := &wire.Environ{}
	e.Variables, e.Truncated = capped(variables, wire.MaxEnviron)
	return e, nil
}

// capped is as many of list as take at most limit bytes of JSON.
func capped(list []string, limit int) (kept []string, more bool) {
	kept = []string{}
	for _, s := range list {
		quoted, err := json.Marshal(s)
		if limit -= len(quoted) + 1; err != nil || limit < 0 {
			return kept, true
		}
		kept = append(kept, s)
	}
	return kept, false
}

// details reads what the node knows of a process.
func (c *clerk) details(id wire.ProcessID) (*wire.Details, error) {
	proc, stat, err := c.find(id)
	if err != nil {
		return nil, err
	}
	c.procs.begin(c.now())
	known := c.procs.read(id.PID)
	d := &wire.Details{
		ProcessID: id, Parent: stat.PPID, State: stat.State, Threads: stat.NumThreads,
		Name: stat.Comm, User: known.User, UID: known.UID, Job: known.Job, ElapsedSec: known.ElapsedSec,
	}
	if args, err := proc.CmdLine(); err == nil {
		d.Arguments, d.Truncated = capped(args, wire.MaxArguments)
	}
	if groups, err := proc.Cgroups(); err == nil && len(groups) > 0 {
		d.Cgroup = groups[0].Path
	}
	// Both are empty where they cannot be read.
	d.Executable, _ = proc.Executable()
	d.Directory, _ = proc.Cwd()
	_, _, err = c.find(id)
	return d, err
}
