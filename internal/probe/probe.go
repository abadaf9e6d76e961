// Package probe runs on a compute node. It lets its subpackages read the GPUs (gpus), the processes on them (procs) and
// the node (host), and writes reports to its standard output, at the pace set by requests on its standard input.
// Package wire is the protocol. It sends signals to processes and asks NCCL's RAS for the user.
//
// Run owns four goroutines: one reads requests, the sampler keeps the pace and writes reports, the responder answers
// questions about processes, and Run itself watches them. A fifth goroutine waits in the driver for Xids, if the
// Library reports Xids. Calls that may never return run on further goroutines, and nothing waits long for them: driver
// calls, reads of another process's memory, look-ups of user names, file systems. Reports keep their pace and name a
// GPU that hangs, even while its card is read at the start. When the input closes or falls silent, Run returns and its
// caller exits the process. A probe never outlives its session.
//
// A collector that fails affects only itself: its values are absent and the report contains the fault. The probe writes
// nothing to disk, starts no process and uses no network.
//
// # Its life
//
// Each node has one long-lived session and one long-lived probe: no fork, login or NVML initialization per poll. The
// probe paces itself. A line contains only the changes since the previous report. Both ends of wire see whole reports.
//
// The probe exits when its standard input closes, or when it has received nothing for 60 s. After a kill -9 of
// nvnodetop no probe keeps running on any node. Only a driver call that never returns can keep a killed probe alive. A
// new probe that finds such a probe of the same user does not call the driver until the old probe is gone: at most one
// probe is stuck and one waits.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Options connect Run to its surroundings.
type Options struct {
	Build   string         // version of the executable, for Hello
	Library driver.Library // NVML
	Name    string         // requests may be addressed to this name; empty: no other probe reads the same input
	Fold    int            // length in bytes at which lines of the output are folded; 0: not folded

	Proc string               // mount point of procfs; empty: /proc
	Sys  string               // mount point of sysfs; empty: /sys
	Now  func() sample.Moment // reads the clocks; nil: the kernel's

	Beat     sample.Beat // ticks for the reports; without a C: a time.Ticker
	Patience sample.Beat // ticks while GPUs are read; without a C: a time.Ticker
}

// withDefaults returns the options, with defaults for what is not set.
func (o Options) withDefaults() Options {
	o.Proc = cmp.Or(o.Proc, "/proc")
	o.Sys = cmp.Or(o.Sys, "/sys")
	if o.Now == nil {
		o.Now = sample.Now
	}
	if o.Beat.C == nil {
		o.Beat = sample.NewBeat()
	}
	if o.Patience.C == nil {
		o.Patience = sample.NewBeat()
	}
	return o
}

const (
	// silence is how long Run continues without a request.
	silence = wire.SilenceMS * time.Millisecond
	// parting is how long Run waits at its end for the sampler, which may be in the middle of a report.
	parting = 500 * time.Millisecond
	// maxQueued is how many requests may wait for a worker before the probe gives up. Nobody sends that many before
	// silence ends the probe.
	maxQueued = 256
)

// ErrSilence is returned by a Run whose input fell silent.
var ErrSilence = fmt.Errorf("no message for %v", silence)

// request is a line of the input: a Request, or the error in it.
type request struct {
	wire.Request
	err error
}

// worker handles requests one after the other, on its own goroutine.
type worker struct {
	asked chan request
	ended chan error
	queue []request
}

func startWorker(do func(asked <-chan request) error) *worker {
	w := &worker{asked: make(chan request), ended: make(chan error, 1)}
	go func() { w.ended <- do(w.asked) }()
	return w
}

// nextRequest returns the first request of the queue and the channel to send it to; nil, which is never ready, if the
// queue is empty.
func (w *worker) nextRequest() (to chan<- request, r request) {
	if len(w.queue) == 0 {
		return nil, request{}
	}
	return w.asked, w.queue[0]
}

// Run speaks the protocol over in and out until in ends (nil), ctx ends (nil), in falls silent (ErrSilence), the driver
// is replaced (gpus.ErrOutdated), or out cannot be written. A read of in that blocks, or a driver call that hangs, may
// leave a goroutine behind: the caller closes in, or exits.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	if opts.Fold > 0 {
		out = wire.Fold(out, opts.Fold)
	}
	shared := &output{w: out}
	heard, inEnded := make(chan request), make(chan error, 1)
	go func() { inEnded <- listenForRequests(ctx, in, opts.Name, heard) }()
	sampler := startWorker(func(asked <-chan request) error { return newSampler(shared, opts).runSampler(ctx, asked) })
	responder := startWorker(func(asked <-chan request) error {
		return newResponder(shared, opts).runResponder(ctx,
			asked)
	})

	err, sampling := superviseWorkers(ctx, heard, inEnded, sampler, responder)
	cancel()
	if sampling {
		select {
		case late := <-sampler.ended:
			if err == nil {
				err = late
			}
		case <-time.After(parting):
		}
	}
	return err
}

// superviseWorkers passes requests to the workers until something ends the session. It never blocks on one worker. It
// reports whether the sampler is still running.
func superviseWorkers(ctx context.Context, heard <-chan request, inEnded <-chan error, sampler,
	responder *worker) (err error,
	sampling bool) {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		toSampler, pace := sampler.nextRequest()
		toResponder, question := responder.nextRequest()
		select {
		case r := <-heard:
			quiet.Reset(silence)
			w := responder
			if r.Pace != nil {
				w = sampler
			}
			if len(w.queue) == maxQueued {
				return fmt.Errorf("%d requests unanswered", maxQueued), true
			}
			w.queue = append(w.queue, r)
		case toSampler <- pace:
			sampler.queue = sampler.queue[1:]
		case toResponder <- question:
			responder.queue = responder.queue[1:]
		case err := <-inEnded:
			return err, true
		case err := <-sampler.ended:
			return err, false
		case err := <-responder.ended:
			return err, true
		case <-quiet.C:
			return ErrSilence, true
		case <-ctx.Done():
			return nil, true
		}
	}
}

// output lets several goroutines write messages. The first write of any of them begins with the magic line.
type output struct {
	mu    sync.Mutex
	w     io.Writer
	lines wire.Writer
	begun bool
}

// writeMessages writes the magic line if it was not written yet, and then the messages.
func (o *output) writeMessages(messages ...wire.Message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		o.begun = true
		if _, err := io.WriteString(o.w, wire.Magic+"\n"); err != nil {
			return fmt.Errorf("greet: %w", err)
		}
	}
	for _, m := range messages {
		if err := o.lines.Write(o.w, m); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// listenForRequests reads requests until in ends.
func listenForRequests(ctx context.Context, in io.Reader, name string, heard chan<- request) error {
	lines := wire.NewReader(in)
	for {
		var r request
		r.err = lines.NextFor(name, &r.Request)
		switch {
		case r.err == nil:
		case errors.As(r.err, new(*wire.MalformedError)):
			r.Request = wire.Request{} // it may be half decoded
		case errors.Is(r.err, io.EOF), errors.Is(r.err, io.ErrUnexpectedEOF):
			return nil
		default:
			return fmt.Errorf("read request: %w", r.err)
		}
		select {
		case heard <- r:
		case <-ctx.Done():
			return nil
		}
	}
}
