package ask_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/ras"
)

// nodes is the probes of a job: what RAS answers on each of its nodes.
type nodes struct {
	t  *testing.T
	on map[string]*probe

	mu    sync.Mutex
	asked []string // nodes, in order
}

// probe answers on one node.
type probe struct {
	world  func() ras.World
	error  string        // in place of an answer
	err    error         // in place of a reply
	old    bool          // NCCL is too old to be asked
	silent bool          // it never has anything to say
	slow   time.Duration // before each piece
	raw    string        // in place of a world
	size   int           // of a piece; 0: all in one
	rest   []byte
}

func (n *nodes) ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.on[node]
	if r.RAS == nil || r.RAS.PID == 0 || r.RAS.StartTicks == 0 {
		n.t.Errorf("asked %+v", r)
	}
	if !r.RAS.More {
		n.asked = append(n.asked, node)
		p.rest = []byte(p.raw)
		if p.world != nil {
			var out bytes.Buffer
			out.WriteString("SERVER PROTOCOL 2\nOK\nOK\n")
			if err := new(p.world()).JSON(&out); err != nil {
				n.t.Error(err)
			}
			p.rest = out.Bytes()
		}
	}
	select {
	case <-time.After(p.slow):
	case <-ctx.Done():
		return wire.Reply{}, ctx.Err()
	}
	if p.err != nil || p.error != "" {
		return wire.Reply{Error: p.error}, p.err
	}
	if p.old && !r.RAS.Old {
		return wire.Reply{RAS: &wire.RASPiece{Address: "127.0.0.1:28028", Old: true}}, nil
	}
	if p.silent {
		return wire.Reply{RAS: &wire.RASPiece{Address: "127.0.0.1:28028", More: true}}, nil
	}
	size := len(p.rest)
	if p.size > 0 {
		size = min(size, p.size)
	}
	piece := &wire.RASPiece{Address: "127.0.0.1:28028", Data: p.rest[:size], More: size < len(p.rest)}
	p.rest = p.rest[size:]
	return wire.Reply{RAS: piece}, nil
}

// job is 4 nodes with 2 GPUs each.
var grid = ras.Grid(4, 2)

func places() (list []nccl.Place) {
	for i, p := range grid {
		list = append(list, nccl.Place{Node: fmt.Sprint("n", 1+i/2), Number: p.GPU, Index: p.GPU,
			Rank: &i, PID: p.PID, Started: 7})
	}
	return list
}

// stuck is the job with rank 5 behind.
func stuck() ras.World {
	w := ras.Parallel(grid, 2, 10)
	w.Of(1).Launch(1, 5)
	return w
}

// others is another job on the same nodes.
func others() ras.World {
	w := stuck()
	for i := range w.Comms {
		for k := range w.Comms[i].Ranks {
			w.Comms[i].Ranks[k].PID += 500
		}
	}
	return w
}

func TestJob(t *testing.T) {
	for _, c := range []struct {
		name  string
		on    map[string]*probe // n1 to n4; those that are missing are stuck
		asked string
		after time.Duration
		fails string
	}{
		{name: "the first node answers", asked: "n1 n1", after: 4 * time.Second},
		{name: "in pieces", on: map[string]*probe{"n1": {world: stuck, size: 1000}}, asked: "n1 n1",
			after: 4 * time.Second},
		{name: "it refuses", on: map[string]*probe{"n1": {error: "no RAS of NCCL listens at port 28028"}},
			asked: "n1 n2 n2",
			after: 4 * time.Second},
		{name: "it answers for another job", on: map[string]*probe{"n1": {world: others}, "n2": {world: others}},
			asked: "n1 n2 n3 n3", after: 4 * time.Second},
		{name: "its process is stopped", on: map[string]*probe{"n1": {silent: true, slow: 1500 * time.Millisecond}},
			asked: "n1 n2 n2", after: 7 * time.Second},
		{name: "nobody refuses at once", on: map[string]*probe{"n1": {silent: true}}, asked: "n1 n2 n2",
			after: 7 * time.Second},
		{name: "it is not there", on: map[string]*probe{"n1": {err: errors.New(`"n1" is not connected`)}},
			asked: "n1 n2 n2",
			after: 4 * time.Second},
		{name: "garbage", on: map[string]*probe{"n1": {raw: "\x1b[2Jhello\n"}}, asked: "n1 n2 n2",
			after: 4 * time.Second},
		{name: "too much", on: map[string]*probe{"n1": {raw: strings.Repeat(" ", wire.MaxRASPiece+1)}},
			asked: "n1 n2 n2",
			after: 4 * time.Second},
		{name: "late", on: map[string]*probe{"n1": {world: stuck, size: 1, slow: time.Second}}, asked: "n1 n2 n2",
			after: 21 * time.Second},
		{name: "all refuse", on: map[string]*probe{"n1": {error: "first\x1b[2J"}, "n2": {error: "x"},
			"n3": {error: "x"},
			"n4": {error: "x"}}, asked: "n1 n2 n3 n4", fails: "n1: first"},
		{name: "only another job", on: map[string]*probe{"n1": {world: others}, "n2": {world: others},
			"n3": {world: others},
			"n4": {world: others}}, asked: "n1 n2 n3 n4",
			fails: "n1: RAS of NCCL answers there for another job of yours, or for one in a container"},
		{name: "the reason of the first, when time is up", on: map[string]*probe{
			"n1": {error: "NCCL_RAS_ADDR of the process has no port"},
			"n2": {world: stuck, size: 1, slow: time.Second}, "n3": {world: stuck, size: 1, slow: time.Second},
			"n4": {world: stuck, size: 1, slow: time.Second}}, asked: "n1 n2 n3 n4",
			fails: "n1: NCCL_RAS_ADDR of the process has no port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &nodes{t: t, on: map[string]*probe{}}
				for i := range 4 {
					name := fmt.Sprint("n", i+1)
					if n.on[name] = c.on[name]; n.on[name] == nil {
						n.on[name] = &probe{world: stuck}
					}
				}
				began := time.Now()
				r, err := ask.New(n.ask).Job(t.Context(), "7", places())
				if got := strings.Join(n.asked, " "); got != c.asked {
					t.Errorf("asked %s, want %s", got, c.asked)
				}
				if c.fails != "" {
					if err == nil || !strings.HasPrefix(err.Error(), c.fails) || strings.Contains(err.Error(), "\x1b") {
						t.Errorf("got %v, want %q", err, c.fails)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("took %s, want %s", took, c.after)
				}
				if r.State != nccl.Stuck || len(r.Causes) != 1 || *r.Causes[0].Place.Rank != 5 {
					t.Errorf("verdict %s of %+v", r.State, r.Causes)
				}
				if node := c.asked[len(c.asked)-2:]; r.Node != node || r.Address != "127.0.0.1:28028" {
					t.Errorf("from %s at %s", r.Node, r.Address)
				}
			})
		})
	}
}

// An NCCL that an answer can crash is asked only on request.
func TestOldNCCL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{t: t, on: map[string]*probe{}}
		for i := range 4 {
			n.on[fmt.Sprint("n", i+1)] = &probe{world: stuck, old: true}
		}
		n.on["n1"] = &probe{error: "no RAS of NCCL listens at port 28028"}
		r, err := ask.New(n.ask).Job(t.Context(), "7", places())
		if got := strings.Join(n.asked, " "); err != nil || r.State != nccl.NotAsked ||
			got != "n1 n2 n3 n4" {
			t.Errorf("%+v, %v, asked %s", r, err, got)
		}
		if r, err = ask.New(ask.Old(n.ask)).Job(t.Context(), "7", places()); err != nil || r.State != nccl.Stuck {
			t.Errorf("%+v, %v", r, err)
		}
		n.on["n4"] = &probe{world: stuck} // the old ones are of another job
		if r, err = ask.New(n.ask).Job(t.Context(), "7", places()); err != nil || r.State != nccl.Stuck {
			t.Errorf("beside another job: %+v, %v", r, err)
		}
	})
}

// Who asks while a question is under way gets its answer; an answer is not kept.
func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{t: t, on: map[string]*probe{"n1": {world: stuck}}}
		a := ask.New(n.ask)
		var wg sync.WaitGroup
		results := make([]*ask.Result, 5)
		for i := range results {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 500 * time.Millisecond)
				var err error
				if results[i], err = a.Job(t.Context(), "7", places()[:2]); err != nil {
					t.Error(err)
				}
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.Job(ctx, "7", places()[:2]); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an impatient one got %v", err)
		}
		wg.Wait()
		for _, r := range results {
			if r != results[0] {
				t.Error("different results")
			}
		}
		if len(n.asked) != 2 {
			t.Errorf("asked %d times", len(n.asked))
		}
		if _, err := a.Job(t.Context(), "7", places()[:2]); err != nil || len(n.asked) != 4 {
			t.Errorf("asked %d times, %v", len(n.asked), err)
		}
	})
}

// On one node another try may reach another process of the same user.
func TestAnotherTryOnOneNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := 0
		n := &nodes{t: t, on: map[string]*probe{"n1": {world: func() ras.World {
			if turn++; turn%3 != 0 {
				return others()
			}
			return stuck()
		}}}}
		if _, err := ask.New(n.ask).Job(t.Context(), "7", places()[:2]); err != nil || turn != 6 {
			t.Errorf("%v after %d tries", err, turn)
		}
	})
}

func TestNobodyToAsk(t *testing.T) {
	if _, err := ask.New(nil).Job(t.Context(), "7", nil); err == nil {
		t.Error("no error")
	}
}
