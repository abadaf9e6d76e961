// Package smi stands in for a probe on nodes where no probe runs: this build has no probe for the platform, glibc is
// too old, or every directory is mounted noexec. A shell script keeps one nvidia-smi running on the node. It prints a
// line per GPU and interval, and Start turns these lines into the protocol of package wire. So everything above sees an
// ordinary session, with fewer values: no host metrics, no Xids, no NVLink, no GPM, no MIG instances, and of processes
// only PID, name and GPU memory. Hello says so.
//
// A GPU does not answer if nvidia-smi has words in place of its values, fails because of it, or lists it no more. It is
// then lost, with these words, like a GPU that NVML calls lost; the others go on. A new nvidia-smi looks for lost GPUs
// every 10 s, and the loop begins again when one is back.
//
// Nothing is written on the node. nvidia-smi initializes NVML once and stays, like a probe. It runs once more for each
// list of processes, at most every 10 s. The script ends when its input ends, or when it has received nothing for a
// minute.
//
// Start may be called by any number of goroutines. The returned pipe is used like any other pipe. Each line from the
// node is limited in length; lines that are not understood are dropped.
package smi

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxLine limits a line of nvidia-smi.
const maxLine = 16 << 10

// UnusableError means that nvidia-smi on the node returns no data.
type UnusableError struct{ Words string }

func (e *UnusableError) Error() string { return "nvidia-smi: " + e.Words }

// Start runs nvidia-smi on a node and returns a pipe to something that behaves like a probe. why is the reason why no
// probe runs there. Start returns when the GPUs are known, or soon after ctx ends.
func Start(ctx context.Context, shell install.Shell, why string) (*link.Pipe, error) {
	p, err := shell.Run(ctx, script, strings.NewReader(program+"\n"))
	if err != nil {
		return nil, err
	}
	in, requests := io.Pipe()
	out, messages := io.Pipe()
	n := &node{why: why, pipe: p, wait: sync.OnceValue(p.Wait), lines: bufio.NewScanner(p.Out), out: messages,
		began: time.Now()}
	n.lines.Buffer(make([]byte, 0, maxLine), maxLine)
	known := make(chan error, 1)
	go func() {
		defer crash.End()
		known <- n.learn()
	}()
	select {
	case err = <-known:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		p.Kill()
		crash.Go(func() { n.wait() })
		return nil, err
	}
	crash.Go(n.translate)
	crash.Go(func() { n.obey(in) })
	kill := func() {
		p.Kill()
		_ = out.Close()
		_ = in.Close()
	}
	return &link.Pipe{In: &input{requests, p.In}, Out: out, Words: p.Words, Wait: n.wait, Kill: kill}, nil
}

// input carries requests. Closing it ends the script.
type input struct {
	*io.PipeWriter
	script io.Closer
}

func (i *input) Close() error {
	_ = i.PipeWriter.Close()
	return i.script.Close()
}

// learn reads the script's introduction of the node, and asks nvidia-smi for the GPUs. If nvidia-smi refuses all of
// them because of one, it asks for each by itself.
func (n *node) learn() error {
	if err := n.introduce(); err != nil {
		return err
	}
	n.columns, n.watch.last, n.which = columns, -1, everyGPU
	words, err := n.ask(everyGPU)
	if err != nil {
		return err
	}
	if who, ok := naming(words); ok && !n.anyGPU(who.is) {
		if err := n.learnEach(words, who); err != nil {
			return err
		}
	}
	if len(n.gpus) == 0 {
		return &UnusableError{text.FirstLine(words)}
	}
	n.which = n.whole()
	return nil
}

// learnEach asks for one GPU after the other: nvidia-smi refused them all with these words about one.
func (n *node) learnEach(words string, who named) error {
	refusals := map[string]bool{}
	for index := 0; index < maxCards; index++ {
		if n.anyGPU(func(g *gpu) bool { return g.at == index }) {
			continue
		}
		said, err := n.ask(strconv.Itoa(index))
		if err != nil {
			return err
		}
		if n.anyGPU(func(g *gpu) bool { return g.at == index }) {
			continue
		}
		about, ok := naming(said)
		if !ok || about.index >= 0 && about.index != index || refusals[said] {
			break // there are no more GPUs, or nvidia-smi refuses each because of the same
		}
		refusals[said] = true
		n.refusedGPU(index, about, said)
	}
	if who.index >= 0 && !n.anyGPU(who.is) {
		n.refusedGPU(who.index, who, words)
	}
	if !slices.ContainsFunc(n.gpus, func(g *gpu) bool { return !g.refused }) {
		if n.watch.stopped = text.FirstLine(words); who.index < 0 {
			n.gpus = nil // nobody knows which one it is
		}
	}
	return nil
}

// refusedGPU adds a GPU for which nvidia-smi fails.
func (n *node) refusedGPU(index int, who named, words string) {
	g := &gpu{at: index, round: noRound, refused: true, Card: wire.Card{Index: index, UUID: who.uuid, PCIBus: who.bus}}
	g.say(text.FirstLine(words))
	n.place(g)
	n.add(g)
}

// ask runs nvidia-smi once for some GPUs, and returns its other messages. Fields unknown to nvidia-smi are left out
// from then on.
func (n *node) ask(which string) (words string, err error) {
	for range columns {
		words, err = n.once(which)
		field, unknown := unknownField(words)
		if err != nil || !unknown {
			return words, err
		}
		n.drop(field)
	}
	return "", &UnusableError{"it knows none of the fields"}
}

// introduce reads up to the end of the introduction. Output before it is that of a login script.
func (n *node) introduce() error {
	began := false
	for seen := 0; seen < wire.MagicBudget; {
		line, err := n.next()
		switch {
		case err != nil:
			return err
		case began && line == "ready":
			return nil
		case began:
			n.introduced(line)
		}
		began = began || line == mark
		seen += len(line) + 1
	}
	return &UnusableError{"the node does not run the script"}
}

// lastWords is how long to wait for the exit of a script whose output has ended.
const lastWords = time.Second

// next returns the next line.
func (n *node) next() (string, error) {
	if n.lines.Scan() {
		return n.lines.Text(), nil
	}
	over := make(chan struct{})
	go func() {
		defer crash.End()
		n.wait()
		close(over)
	}()
	select { // until its last words have come
	case <-over:
	case <-time.After(lastWords):
	}
	words := text.FirstLine(strings.TrimSpace(n.pipe.Words.String()))
	return "", &UnusableError{cmp.Or(words, errors.Join(n.lines.Err(), io.ErrUnexpectedEOF).Error())}
}

// once runs nvidia-smi once, adds the GPUs, and returns its other messages.
func (n *node) once(which string) (words string, err error) {
	if err := n.tell("once 0 " + which + " " + n.fields(all)); err != nil {
		return "", err
	}
	for {
		line, err := n.next()
		if err != nil || strings.HasPrefix(line, "end ") {
			return strings.TrimSpace(words), err
		}
		if cells, ok := n.cells(line, all); ok {
			n.add(n.card(cells))
		} else if len(words) < maxLine {
			words += line + "\n"
		}
	}
}

// unknownField finds the name in nvidia-smi's error message for a field that it does not know.
func unknownField(words string) (field string, ok bool) {
	_, rest, ok1 := strings.Cut(words, `Field "`)
	field, _, ok2 := strings.Cut(rest, `" is not a valid field to query`)
	return field, ok1 && ok2
}

// tell sends a line to the script.
func (n *node) tell(line string) error {
	n.telling.Lock()
	defer n.telling.Unlock()
	_, err := fmt.Fprintln(n.pipe.In, line)
	return err
}
