// Package probe is the far end of nvnodetop: it runs on a compute node, reads the GPUs through NVML and the node through /proc, and
// streams reports over its standard output at the pace that it is asked for on its standard input. Package wire is the protocol.
//
// Run owns three goroutines: one reads requests, one does everything that may be slow (NVML, /proc, writing), and Run itself watches
// over both. A driver call that hangs therefore stops the reports but never the end: when the input closes or falls silent, Run
// returns, and the process that called it exits. A probe never outlives the session that it was started for.
//
// A collector that fails degrades itself alone: its numbers are absent, the report carries the fault, the rest goes on. Nothing is
// kept on disk, no process is started, no network is used.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Options are what Run needs to know of the world.
type Options struct {
	Build   string  // version of the executable, for Hello
	Library Library // NVML

	Proc string        // mount point of procfs; empty: /proc
	Now  func() Moment // reads the clocks; nil: the kernel's
	Beat Beat          // paces the reports; without a C: a time.Ticker
}

// Beat is a ticker: nothing comes from C before Reset and after Stop.
type Beat struct {
	C     <-chan time.Time
	Reset func(time.Duration)
	Stop  func()
}

func tickerBeat() Beat {
	t := time.NewTicker(time.Hour)
	t.Stop()
	return Beat{C: t.C, Reset: t.Reset, Stop: t.Stop}
}

// Moment is one reading of the clocks.
type Moment struct {
	Mono time.Duration // CLOCK_MONOTONIC
	Boot time.Duration // CLOCK_BOOTTIME: the time since boot, 0 when the system does not tell
	Wall time.Time
}

const (
	// silence is how long Run goes on without a request.
	silence = wire.SilenceMS * time.Millisecond
	// parting is how long Run waits for the sampler at its end: it is in the middle of a report, or hangs in the driver.
	parting = 500 * time.Millisecond
	// maxQueued is how many requests wait for a sampler that hangs before the probe gives up. Within the time of silence
	// nobody sends as many.
	maxQueued = 256
)

// ErrSilence is why a probe ends that hears nothing any more.
var ErrSilence = fmt.Errorf("heard nothing for %v", silence)

// ErrOutdated is why a probe ends under which the driver was replaced. A new one finds the new driver.
var ErrOutdated = errors.New("the driver was replaced by another version: start the probe again")

// request is a line of the input: a Request, or why it is none.
type request struct {
	wire.Request
	err error
}

// Run speaks the protocol over in and out until in ends (nil), ctx ends (nil), in falls silent (ErrSilence), the driver is replaced
// (ErrOutdated), or out cannot be written.
// A read of in that blocks, or a driver call that hangs, may leave a goroutine behind: the caller closes in, or exits.
func Run(ctx context.Context, in io.Reader, out io.Writer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	heard, inEnded := make(chan request), make(chan error, 1)
	go func() { inEnded <- listen(ctx, in, heard) }()
	asked, samplerEnded := make(chan request), make(chan error, 1)
	go func() { samplerEnded <- newSampler(out, opts).run(ctx, asked) }()

	err, sampling := supervise(ctx, heard, asked, inEnded, samplerEnded)
	cancel()
	if sampling {
		select {
		case late := <-samplerEnded:
			if err == nil {
				err = late
			}
		case <-time.After(parting):
		}
	}
	return err
}

// supervise passes requests on to the sampler until something ends the session. It never blocks on the sampler alone.
// It reports whether the sampler still runs.
func supervise(ctx context.Context, heard <-chan request, asked chan<- request, inEnded, samplerEnded <-chan error) (err error, sampling bool) {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	var queue []request
	for {
		var to chan<- request // nil, which is never ready, while nothing is queued
		var next request
		if len(queue) > 0 {
			to, next = asked, queue[0]
		}
		select {
		case r := <-heard:
			if len(queue) == maxQueued {
				return fmt.Errorf("%d requests are unanswered: the driver hangs", maxQueued), true
			}
			queue = append(queue, r)
			quiet.Reset(silence)
		case to <- next:
			queue = queue[1:]
		case err := <-inEnded:
			return err, true
		case err := <-samplerEnded:
			return err, false
		case <-quiet.C:
			return ErrSilence, true
		case <-ctx.Done():
			return nil, true
		}
	}
}

// listen reads requests until in ends.
func listen(ctx context.Context, in io.Reader, heard chan<- request) error {
	lines := wire.NewReader(in)
	for {
		var r request
		r.err = lines.Next(&r.Request)
		switch {
		case r.err == nil:
		case isMalformed(r.err):
			r.Request = wire.Request{} // what was understood of it is not to be trusted
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

// isMalformed tells a line that is no request from a stream that cannot be read.
func isMalformed(err error) bool {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &typ)
}
