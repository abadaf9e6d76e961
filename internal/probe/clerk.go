package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// answerWithin is how long a request waits for its answer: reading from a process that hangs in the kernel may never end.
	answerWithin = 5 * time.Second
	// maxReading is how many requests are answered at once, including those that hang.
	maxReading = 8
)

// clerk answers requests about processes. It never calls into the driver, which may hang.
type clerk struct {
	out     *output
	now     func() Moment
	proc    procfs.FS
	reading atomic.Int32
	replies chan *wire.Reply
}

func newClerk(out *output, opts Options) *clerk {
	opts = opts.complete()
	proc, err := procfs.NewFS(opts.Proc)
	if err != nil {
		proc = procfs.FS{} // there is no process
	}
	return &clerk{out: out, now: opts.Now, proc: proc, replies: make(chan *wire.Reply)}
}

// run answers until ctx ends or out cannot be written.
func (c *clerk) run(ctx context.Context, asked <-chan request) error {
	for {
		var reply *wire.Reply
		select {
		case <-ctx.Done():
			return nil
		case reply = <-c.replies:
		case r := <-asked:
			if reply = c.answer(ctx, r); reply == nil {
				continue
			}
		}
		if err := c.out.write(wire.Message{Reply: reply}); err != nil {
			return err
		}
	}
}

// answer returns the reply to r, or nil if it will come from c.replies.
func (c *clerk) answer(ctx context.Context, r request) *wire.Reply {
	err := check(r)
	switch {
	case err != nil || r.Alive != nil:
		return replyTo(r, err)
	case c.reading.Add(1) > maxReading:
		c.reading.Add(-1)
		return replyTo(r, fmt.Errorf("%d requests are still being answered", maxReading))
	}
	found := make(chan *wire.Reply, 1)
	go func() {
		defer c.reading.Add(-1)
		found <- c.find(r)
	}()
	go c.await(ctx, r, found)
	return nil
}

// await sends the reply, or an error if it takes too long.
func (c *clerk) await(ctx context.Context, r request, found <-chan *wire.Reply) {
	late := time.NewTimer(answerWithin)
	defer late.Stop()
	var reply *wire.Reply
	select {
	case reply = <-found:
	case <-late.C:
		reply = replyTo(r, fmt.Errorf("process %d does not respond: it hangs in the kernel", cmp.Or(r.Environ, r.Process).PID))
	case <-ctx.Done():
		return
	}
	select {
	case c.replies <- reply:
	case <-ctx.Done():
	}
}

func (c *clerk) find(r request) *wire.Reply {
	reply := replyTo(r, nil)
	var err error
	if r.Environ != nil {
		reply.Environ, err = c.environ(*r.Environ)
	} else {
		reply.Process, err = c.details(*r.Process)
	}
	if err != nil {
		return replyTo(r, err)
	}
	return reply
}

// replyTo returns a reply to r without a result.
func replyTo(r request, err error) *wire.Reply {
	reply := &wire.Reply{ID: r.ID}
	if err != nil {
		reply.Error = err.Error()
	}
	return reply
}

// check returns the error in a request.
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
		return errors.New("a request must contain exactly one of pace, alive, environ, process")
	case r.Pace != nil && (r.Pace.IntervalMS < minInterval || r.Pace.IntervalMS > maxInterval):
		return fmt.Errorf("interval of %d ms is not within %d and %d", r.Pace.IntervalMS, minInterval, maxInterval)
	}
	return nil
}

// process returns the process with this id, and not another one that has reused the PID.
func (c *clerk) process(id wire.ProcessID) (procfs.Proc, procfs.ProcStat, error) {
	if id.PID <= 0 {
		return procfs.Proc{}, procfs.ProcStat{}, fmt.Errorf("invalid pid %d", id.PID)
	}
	proc, err := c.proc.Proc(id.PID)
	if err != nil {
		return proc, procfs.ProcStat{}, fmt.Errorf("no process %d", id.PID)
	}
	stat, err := proc.Stat()
	switch {
	case err != nil:
		return proc, stat, fmt.Errorf("process %d has exited", id.PID)
	case stat.Starttime != id.StartTicks:
		return proc, stat, fmt.Errorf("pid %d has been reused", id.PID)
	}
	return proc, stat, nil
}

// environ reads the environment of a process of the same user. That of other users' processes is private, even from root. The id is
// checked again afterwards, since the PID may have been reused meanwhile.
func (c *clerk) environ(id wire.ProcessID) (*wire.Environ, error) {
	proc, _, err := c.process(id)
	if err != nil {
		return nil, err
	}
	status, err := proc.NewStatus()
	if err != nil {
		return nil, fmt.Errorf("process %d has exited", id.PID)
	}
	if uid := int(status.UIDs[0]); uid != os.Getuid() {
		return nil, fmt.Errorf("process %d belongs to %s: you can only read the environment of your own processes", id.PID, userName(uid))
	}
	variables, err := proc.Environ()
	if err != nil {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", id.PID, err)
	}
	if _, _, err := c.process(id); err != nil {
		return nil, err
	}
	e := &wire.Environ{}
	e.Variables, e.Truncated = capped(variables, wire.MaxEnviron)
	return e, nil
}

// capped returns the beginning of list that has at most wire.MaxStrings elements and takes at most limit bytes of JSON.
func capped(list []string, limit int) (kept []string, more bool) {
	kept = []string{}
	for _, s := range list {
		quoted, err := json.Marshal(s)
		if limit -= len(quoted) + 1; err != nil || limit < 0 || len(kept) == wire.MaxStrings {
			return kept, true
		}
		kept = append(kept, s)
	}
	return kept, false
}

// details reads the properties of a process.
func (c *clerk) details(id wire.ProcessID) (*wire.Details, error) {
	proc, stat, err := c.process(id)
	if err != nil {
		return nil, err
	}
	who := identify(c.proc, id.PID)
	d := &wire.Details{
		ProcessID: id, Parent: stat.PPID, State: stat.State, Threads: stat.NumThreads,
		Name: stat.Comm, UID: who.uid, Job: who.Job, ElapsedSec: elapsed(c.now(), stat.Starttime),
	}
	if who.uid != nil {
		d.User = userName(*who.uid)
	}
	if args, err := proc.CmdLine(); err == nil {
		d.Arguments, d.Truncated = capped(args, wire.MaxArguments)
	}
	if groups, err := proc.Cgroups(); err == nil && len(groups) > 0 {
		d.Cgroup = groups[0].Path
	}
	// Both are empty if they cannot be read.
	d.Executable, _ = proc.Executable()
	d.Directory, _ = proc.Cwd()
	_, _, err = c.process(id)
	return d, err
}
