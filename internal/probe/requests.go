package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/procs"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/probe/stacks"
	"github.com/nvnodetop/nvnodetop/internal/probe/tail"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// answerWithin is the maximum time that a request waits for its answer: reading from a process that hangs in the
	// kernel may never end.
	answerWithin = 5 * time.Second
	// maxReading is the maximum number of requests that are answered at once, including requests that hang.
	maxReading = 8
	// maxLogs is the same limit for pieces of logs, which may be on a file system that hangs.
	maxLogs = 2
)

// readLog reads a piece of a log; tests replace it.
var readLog = tail.Read

// responder answers requests about processes and logs, and passes signals on. It never calls the driver, which may
// hang.
type responder struct {
	out     *output
	procs   *procs.Inspector
	desk    *processDesk
	ras     *rasAsker
	stacks  *stacks.Reader
	now     func() sample.Moment
	reading atomic.Int32
	logs    atomic.Int32
	replies chan *wire.Reply
}

func newResponder(out *output, opts Options) *responder {
	opts = opts.withDefaults()
	desk := newProcessDesk(opts.Proc, processTexts{User: procs.UserName, Command: procs.CommandLine,
		Elapsed: func(start uint64) *int64 { return procs.Elapsed(opts.Now(), start) }})
	return &responder{out: out, procs: procs.NewInspector(opts.Proc, opts.Now), desk: desk,
		stacks: stacks.New(opts.Proc), ras: newRASAsker(opts.Proc), now: opts.Now,
		replies: make(chan *wire.Reply)}
}

// runResponder answers requests until ctx ends or out cannot be written.
func (c *responder) runResponder(ctx context.Context, asked <-chan request) error {
	for {
		var reply *wire.Reply
		select {
		case <-ctx.Done():
			return nil
		case reply = <-c.replies:
		case r := <-asked:
			if reply = c.replyOf(ctx, r); reply == nil {
				continue
			}
		}
		if err := c.out.writeMessages(wire.Message{Reply: reply}); err != nil {
			return err
		}
	}
}

// replyOf returns the reply to r, or nil if the reply will come from c.replies.
func (c *responder) replyOf(ctx context.Context, r request) *wire.Reply {
	if err := checkRequest(r); err != nil || r.Alive != nil {
		return replyTo(r, err)
	}
	reading, most := &c.reading, int32(maxReading)
	if r.ReadLog != nil {
		reading, most = &c.logs, maxLogs
	}
	if reading.Add(1) > most {
		reading.Add(-1)
		return replyTo(r, fmt.Errorf("%d requests are still being answered", most))
	}
	found := make(chan *wire.Reply, 1)
	go func() {
		defer reading.Add(-1)
		found <- c.findReply(r)
	}()
	go c.awaitReply(ctx, r, found)
	return nil
}

// awaitReply sends the reply to r, or an error if the answer takes too long.
func (c *responder) awaitReply(ctx context.Context, r request, found <-chan *wire.Reply) {
	within := answerWithin
	if r.Stacks != nil {
		within += r.Stacks.Over()
	}
	late := time.NewTimer(within)
	defer late.Stop()
	var reply *wire.Reply
	select {
	case reply = <-found:
	case <-late.C:
		reply = replyTo(r, timeoutError(r))
	case <-ctx.Done():
		return
	}
	select {
	case c.replies <- reply:
	case <-ctx.Done():
	}
}

// timeoutError is the error of a request that gets no answer in time.
func timeoutError(r request) error {
	id := cmp.Or(r.Environ, r.Process)
	if r.Inspect != nil {
		id = &r.Inspect.ProcessID
	}
	if id != nil {
		return fmt.Errorf("process %d does not respond: it hangs in the kernel", id.PID)
	}
	if r.ReadLog != nil {
		return fmt.Errorf("%q cannot be read: its file system does not respond", r.ReadLog.Path)
	}
	return errors.New("the processes of the node cannot be read: the kernel does not respond")
}

func (c *responder) findReply(r request) *wire.Reply {
	reply := replyTo(r, nil)
	var err error
	switch {
	case r.Environ != nil:
		reply.Environ, err = c.procs.Environ(*r.Environ)
	case r.Process != nil:
		reply.Process, err = c.procs.Details(*r.Process)
	case r.Inspect != nil:
		reply.Inspected, err = c.procs.Inspect(*r.Inspect)
	case r.Signal != nil:
		reply.Signaled, err = c.desk.Signal(*r.Signal)
	case r.ReadLog != nil:
		reply.Log, err = readLog(*r.ReadLog)
	case r.RAS != nil:
		reply.RAS, err = c.askRAS(*r.RAS)
	case r.Stacks != nil: // the stacks are read only after the time over which it follows them
		reply.ReadMS = uint64(max((c.now().Mono + r.Stacks.Over()).Milliseconds(), 0))
		reply.Stacks, reply.Truncated, err = c.stacks.Read(*r.Stacks)
		reply.Addresses = c.stacks.Addresses()
	default:
		reply.ReadMS = uint64(max(c.now().Mono.Milliseconds(), 0))
		reply.Family, reply.Truncated, err = c.desk.Family(*r.Family)
	}
	if err != nil {
		return replyTo(r, err)
	}
	return reply
}

// askRAS asks NCCL's RAS about the job of a process of the user. The process's environment names the socket: nothing
// else in it is used.
func (c *responder) askRAS(r wire.AskRAS) (*wire.RASPiece, error) {
	if r.More {
		return c.ras.More()
	}
	environ, err := c.procs.Environ(r.ProcessID)
	if err != nil {
		return nil, err
	}
	return c.ras.Ask(environ.Variables, r.Old)
}

// replyTo returns a reply to r without a result.
func replyTo(r request, err error) *wire.Reply {
	reply := &wire.Reply{ID: r.ID}
	if err != nil {
		reply.Error = err.Error()
	}
	return reply
}

// checkRequest returns the error in a request.
func checkRequest(r request) error {
	asked := 0
	for _, is := range []bool{r.Pace != nil, r.Alive != nil, r.Environ != nil, r.Process != nil, r.Inspect != nil,
		r.Signal != nil, r.Family != nil, r.ReadLog != nil, r.Stacks != nil, r.RAS != nil} {
		if is {
			asked++
		}
	}
	switch {
	case r.err != nil:
		return r.err
	case asked != 1:
		return errors.New("a request must contain exactly one of pace, alive, environ, process, inspect, " +
			"signal, family, read_log, stacks, ras")
	case r.Pace != nil && (r.Pace.IntervalMS < minInterval || r.Pace.IntervalMS > maxInterval):
		return fmt.Errorf("interval of %d ms is not within %d and %d", r.Pace.IntervalMS, minInterval, maxInterval)
	case r.Pace != nil && r.Pace.SecondMS != 0 && (r.Pace.SecondMS < minInterval || r.Pace.SecondMS > maxInterval):
		return fmt.Errorf("second report after %d ms is not within %d and %d", r.Pace.SecondMS, minInterval,
			maxInterval)
	case r.Stacks != nil && (r.Stacks.OverMS < 0 || r.Stacks.OverMS > wire.MaxStacksOverMS):
		return fmt.Errorf("stacks over %d ms are not within 0 and %d", r.Stacks.OverMS, wire.MaxStacksOverMS)
	}
	return nil
}
