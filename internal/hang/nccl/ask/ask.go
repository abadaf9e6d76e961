// Package ask asks NCCL's RAS about a job, through the probes of its nodes. It gets two answers, a few seconds apart,
// and derives the verdict from them. It also puts the verdict into words: a headline and the lines below it.
//
// RAS asks all processes of the job for each answer, so it is never polled: a person asks, or the program asks once
// when the job seems to hang. Only one question about a job runs at a time; whoever asks meanwhile gets the same
// Result.
package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// apart is the time between the two answers.
	apart = 4 * time.Second
	// patience is the longest time for an answer: what the probe allows, plus the way there and back.
	patience = (wire.MaxRASSeconds + 2) * time.Second
	// silence is how long a process may say nothing before it is given up: RAS answers commands at once.
	silence = 3 * time.Second
	// pause is the wait after a piece without data, if the node sent it at once.
	pause = 100 * time.Millisecond
	// tries limits how many processes are asked for one answer.
	tries = 4
	// atMost is the longest time that a question may take.
	atMost = 50 * time.Second
	// maxWords limits the text of a node, in bytes.
	maxWords = 300
)

// Node sends a request to the probe of a node.
type Node func(ctx context.Context, node string, r wire.Request) (wire.Reply, error)

// Asker asks. Its methods may be called from any goroutine.
type Asker struct {
	node Node

	mu    sync.Mutex // protects the following
	calls map[string]*pendingQuestion
}

// pendingQuestion is a question about a job that has no answer yet.
type pendingQuestion struct {
	done   chan struct{}
	result *Result
	err    error
}

// Result is what RAS says about a job.
type Result struct {
	*nccl.Verdict
	At      time.Time      // of the second answer
	Node    string         // that gave it
	Address string         // of the socket on that node
	Answers [2]nccl.Answer // what they say about the job
}

// Old returns a Node that asks even an NCCL before 2.29.
func Old(node Node) Node {
	return func(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
		if r.RAS != nil {
			q := *r.RAS
			q.Old, r.RAS = true, &q
		}
		return node(ctx, name, r)
	}
}

// New returns an Asker.
func New(node Node) *Asker { return &Asker{node: node, calls: map[string]*pendingQuestion{}} }

// Places returns the processes of a job that run on its GPUs now, those with a known rank first.
func Places(s *cluster.Snapshot, job *cluster.JobView) []nccl.Place {
	var places []nccl.Place
	for _, row := range tally.Ranks(s, job) {
		if row.State == tally.RankRuns && row.Process != nil {
			p := nccl.Place{Node: row.Node, Number: row.Number, Index: row.Process.GPU, PID: row.Process.PID,
				Started: row.Process.StartTicks}
			if row.Rank != nil {
				p.Rank = &row.Rank.Rank
			}
			places = append(places, p)
		}
	}
	return places
}

// Job asks about a job, given its processes. It takes at least the time between the two answers, and ends soon after
// ctx does.
func (a *Asker) Job(ctx context.Context, job string, places []nccl.Place) (*Result, error) {
	a.mu.Lock()
	c := a.calls[job]
	if c == nil {
		c = &pendingQuestion{done: make(chan struct{})}
		a.calls[job] = c
		crash.Go(func() { a.runCall(context.WithoutCancel(ctx), job, places, c) })
	}
	a.mu.Unlock()
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (a *Asker) runCall(ctx context.Context, job string, places []nccl.Place, c *pendingQuestion) {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	c.result, c.err = a.judgeJob(ctx, places)
	a.mu.Lock()
	delete(a.calls, job)
	a.mu.Unlock()
	close(c.done)
}

func (a *Asker) judgeJob(ctx context.Context, places []nccl.Place) (*Result, error) {
	if len(places) == 0 {
		return nil, errors.New("no process of the job is known: its nodes have not listed any")
	}
	roster := nccl.NewRoster(places)
	first, err := a.askInTurn(ctx, roster, askingOrder(places, ""))
	if errors.Is(err, errOld) {
		return &Result{Verdict: &nccl.Verdict{State: nccl.NotAsked}}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := sleepWithin(ctx, apart); err != nil {
		return nil, err
	}
	second, err := a.askInTurn(ctx, roster, askingOrder(places, first.from.Node))
	if err != nil {
		return nil, fmt.Errorf("the second answer: %w", err)
	}
	return &Result{Verdict: nccl.Judge(first.Answer, second.Answer, second.names), At: second.At,
		Node:    second.from.Node,
		Address: second.address, Answers: [2]nccl.Answer{*first.Answer, *second.Answer}}, nil
}

// askingOrder returns the processes to ask, in order: one of each node, starting with the node first, and then others
// if there are few nodes. All processes of a user on a node share one socket, so another try may reach another process.
func askingOrder(places []nccl.Place, first string) []*nccl.Place {
	var list, rest []*nccl.Place
	seen := map[string]bool{}
	for pass := range 2 {
		for i := range places {
			p := &places[i]
			switch {
			case (p.Node == first) != (pass == 0):
			case seen[p.Node]:
				rest = append(rest, p)
			default:
				seen[p.Node] = true
				list = append(list, p)
			}
		}
	}
	list = append(list, rest...)
	for len(list) < tries {
		list = append(list, list[0])
	}
	return list
}

// rasAnswer is an answer about the job, and the process that gave it.
type rasAnswer struct {
	*nccl.Answer
	names   *nccl.Names
	from    *nccl.Place
	address string
}

var (
	// errRefused means that the node does not ask: trying again there is pointless.
	errRefused = errors.New("refused")
	// errOld means an NCCL before 2.29. It may belong to another job of the user on the node.
	errOld = errors.New("an NCCL before 2.29 is not asked")
)

// askInTurn asks one process after another, until one answers about the job.
func (a *Asker) askInTurn(ctx context.Context, roster *nccl.Roster, places []*nccl.Place) (*rasAnswer, error) {
	var failed error
	refused := map[string]bool{}
	tried := 0
	for _, p := range places {
		if refused[p.Node] || tried == tries {
			continue
		}
		tried++
		got, err := a.askProcess(ctx, p)
		if err == nil {
			if got.names = roster.Match(got.Answer); got.names.Own() {
				return got, nil
			}
			err = fmt.Errorf("%s: RAS of NCCL answers there for another job of yours, or for one in a container with "+
				"PIDs of its own", p.Node)
		}
		if refused[p.Node] = errors.Is(err, errRefused); failed == nil || errors.Is(err, errOld) {
			failed = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, failed // the first one's reason is what a user can change
}

// refusal is the reason that a node gives, in its words.
type refusal struct{ text string }

func (r refusal) Error() string        { return r.text }
func (r refusal) Is(target error) bool { return target == errRefused }

// askProcess asks a process, and parses the answer while it arrives.
func (a *Asker) askProcess(ctx context.Context, p *nccl.Place) (*rasAnswer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%s: RAS of NCCL has not answered within %s",
		p.Node,
		patience))
	defer cancel()
	in, out := io.Pipe()
	type parsed struct {
		*nccl.Answer
		err error
	}
	done := make(chan parsed, 1)
	go func() {
		defer crash.End()
		got, err := nccl.Read(in)
		_, _ = io.Copy(io.Discard, in) // so that the pieces find a reader; it ends with them
		done <- parsed{got, err}
	}()
	address, err := a.copyPieces(ctx, p, out)
	_ = out.Close() // it never fails
	got := <-done
	switch {
	case err != nil:
		return nil, err
	case got.err != nil:
		return nil, fmt.Errorf("%s, %s: %w", p.Node, address, got.err)
	}
	got.At = time.Now()
	return &rasAnswer{Answer: got.Answer, from: p, address: address}, nil
}

// copyPieces hands over the pieces of an answer.
func (a *Asker) copyPieces(ctx context.Context, p *nccl.Place, to io.Writer) (address string, err error) {
	began, size, id := time.Now(), 0, wire.ProcessID{PID: p.PID, StartTicks: p.Started}
	for more := false; ; more = true {
		asked := time.Now()
		reply, err := a.node(ctx, p.Node, wire.Request{RAS: &wire.AskRAS{ProcessID: id, More: more}})
		piece := reply.RAS
		switch {
		case ctx.Err() != nil:
			return address, context.Cause(ctx)
		case err != nil:
			return address, err
		case reply.Error != "":
			return address, refusal{p.Node + ": " + safe.Line(reply.Error, maxWords)}
		case piece != nil && piece.Old:
			return address, errOld
		case piece == nil, len(piece.Data) > wire.MaxRASPiece:
			return address, refusal{p.Node + " has sent no answer of RAS"}
		}
		if !more {
			address = safe.Line(piece.Address, maxWords)
		}
		if size += len(piece.Data); size > wire.MaxRAS+wire.MaxRASPiece {
			return address, refusal{p.Node + " has sent too much"}
		}
		if _, err := to.Write(piece.Data); err != nil || !piece.More {
			return address, err
		}
		if size == 0 && time.Since(began) >= silence {
			return address, fmt.Errorf("%s: RAS of NCCL does not answer at %s: the process there may be stopped",
				p.Node,
				address)
		}
		if len(piece.Data) == 0 && time.Since(asked) < pause {
			if err := sleepWithin(ctx, pause); err != nil {
				return address, err
			}
		}
	}
}

// sleepWithin waits, but not beyond the end of ctx.
func sleepWithin(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
