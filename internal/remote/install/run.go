package install

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// slowest is how many times longer a copy that makes progress may take than the limit for a copy without progress.
const slowest = 10

// runScript starts a script. If it has input, the time limit applies to the time without progress.
func (in *Installer) runScript(ctx context.Context, shell Shell, script string, input *pieces) (*link.Session, error) {
	if input == nil {
		ctx, cancel := context.WithTimeout(ctx, in.Limits.Start)
		defer cancel()
		return in.awaitProbe(ctx, shell, script, nil)
	}
	ctx, stop := context.WithTimeout(ctx, slowest*in.Limits.Upload)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(in.Limits.Upload, func() { cancel(context.DeadlineExceeded) })
	defer late.Stop()
	taken := input.taken
	input.taken = func() {
		late.Reset(in.Limits.Upload)
		taken()
	}
	s, err := in.awaitProbe(ctx, shell, script, input)
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		err = context.DeadlineExceeded
	}
	return s, err
}

// awaitProbe runs a script and waits until the script has become a probe.
func (in *Installer) awaitProbe(ctx context.Context, shell Shell, script string, input io.Reader) (*link.Session,
	error) {
	p, err := shell.Run(ctx, script, input)
	if err != nil {
		return nil, err
	}
	s := link.New(p, in.Link)
	if err := s.Magic(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// pieces is the input of a script. Read is its only method, so that it is read in pieces.
type pieces struct {
	rest  []byte
	taken func() // called for each piece
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	p.taken()
	return n, nil
}

// refusedToRun reports whether a shell found the file but had no permission to execute it.
func refusedToRun(e *link.EndError) bool {
	status, _ := e.Status()
	return status == 126 && !strings.Contains(e.Stderr, "Exec format error")
}

// copyState returns why an upload failed; empty if another place would not help.
func copyState(e *link.EndError) State {
	status, ok := e.Status()
	switch {
	case ok && status == exitNoWrite:
		return NoWrite
	case ok && status == exitMismatch:
		return Damaged
	case ok && status == exitTaken:
		return Taken
	case ok && (status == exitNoExec || refusedToRun(e)):
		return NoExec
	default:
		return ""
	}
}
