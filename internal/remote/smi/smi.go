// Package smi stands in for a probe on nodes where no probe runs: this build has no probe for the platform, glibc is
// too old, or every directory is mounted noexec. A shell script keeps one nvidia-smi running on the node. It prints a
// line per GPU and interval, and Start turns these lines into the protocol of package wire. So everything above sees an
// ordinary session with fewer values: no host metrics, no Xids, no NVLink, no GPM, no MIG instances, and for processes
// only PID, name and GPU memory. Hello says so.
//
// A GPU does not answer if nvidia-smi prints words in place of its values, fails because of it, or no longer lists it.
// It is then lost, with these words as the reason, like a GPU that NVML calls lost; the others go on. A new nvidia-smi
// looks for lost GPUs every 10 s, and the loop starts again when one is back.
//
// Nothing is written on the node. nvidia-smi initializes NVML once and stays, like a probe. It runs once more for each
// list of processes, at most every 10 s. The script ends when its input ends, or when it has received nothing for a
// minute.
//
// Any number of goroutines may call Start. The returned pipe is used like any other pipe. Each line from the node is
// limited in length; lines that are not understood are dropped.
package smi

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// UnusableError means that nvidia-smi on the node returns no data.
type UnusableError struct{ Words string }

func (e *UnusableError) Error() string { return "nvidia-smi: " + e.Words }

// Start runs nvidia-smi on a node, and returns a pipe to something that behaves like a probe. why is the reason why no
// probe runs there. Start returns when the GPUs are known, or soon after ctx ends.
func Start(ctx context.Context, shell install.Shell, why string) (*link.Pipe, error) {
	p, err := shell.Run(ctx, script, strings.NewReader(program+"\n"))
	if err != nil {
		return nil, err
	}
	began := time.Now()
	l := learner{console: newConsole(p)}
	known := make(chan error, 1)
	crash.Go(func() { known <- l.learnNode() })
	select {
	case err = <-known:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		p.Kill()
		crash.Go(func() { l.console.wait() })
		return nil, err
	}
	return beginSession(&l, why, began), nil
}

// beginSession begins a session with a node that the learner has got to know.
func beginSession(l *learner, why string, began time.Time) *link.Pipe {
	in, requests := io.Pipe()
	out, messages := io.Pipe()
	t := newTranslator(l, &sender{out: messages}, began)
	t.hello.StandIn = text.Cut(why, maxWhy)
	crash.Go(t.translateOutput)
	crash.Go(func() { (&answerer{l.console, t.schedule, t.sender}).answerAll(in) })
	script := l.console.pipe
	kill := func() {
		script.Kill()
		_ = out.Close()
		_ = in.Close()
	}
	return &link.Pipe{In: &input{requests, script.In}, Out: out, Words: script.Words, Wait: l.console.wait, Kill: kill}
}

// maxWhy limits the reason why no probe runs, in bytes.
const maxWhy = 200

// input carries requests. Closing it ends the script.
type input struct {
	*io.PipeWriter
	script io.Closer
}

func (i *input) Close() error {
	_ = i.PipeWriter.Close()
	return i.script.Close()
}
