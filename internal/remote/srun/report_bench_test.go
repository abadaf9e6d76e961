package srun

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/cost"
	"github.com/nvnodetop/nvnodetop/test/demolines"
)

// BenchmarkReport takes the reports of the nodes of one step, with 8 GPUs each, the whole way from srun's output into
// the Store: a round of one report of each node at a time. It counts CPU time: other work on the machine does not
// count.
func BenchmarkReport(b *testing.B) {
	for _, nodes := range []int{100, 1000} {
		b.Run(fmt.Sprint(nodes, "-nodes"), func(b *testing.B) { benchmarkReport(b, nodes) })
	}
}

func benchmarkReport(b *testing.B, nodes int) {
	const interval = 3 * time.Second
	past := demolines.Of(b, 8, interval, 10*time.Minute)
	s := stepOf(nodes)
	fromSrun, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	go readLines(fromSrun, s.handleOutput)
	labelled := newLabeller(out, nodes)
	s.in = &replies{labelled, map[string]int{}}
	for i, node := range s.nodes {
		s.in.(*replies).labels[node] = i
	}
	store := store.New(interval, health.Rules(health.Defaults()))
	at := time.Now()
	store.Apply(cluster.Event{At: at, Discovery: &cluster.Discovery{Answered: at,
		Jobs: []cluster.Job{{ID: "7", Nodes: s.nodes}}}})
	applied := make(chan struct{}, nodes)
	manager := poller.New(poller.Config{Opener: stepOpener{s}, Interval: time.Microsecond, Retries: 1})
	manager.SetNodes(s.nodes)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		manager.Run(ctx, func(e cluster.Event) {
			e.At = at
			store.Apply(e)
			if e.Report != nil {
				applied <- struct{}{}
			}
		})
	}()
	for i, node := range s.nodes {
		labelled.print(i, fmt.Append(nil, taskMark, node, "\n", wire.Magic, "\n", string(past.Hello)))
	}
	round := 0
	next := func() {
		at = at.Add(interval)
		for i := range s.nodes {
			labelled.print(i, past.Reports[round%len(past.Reports)])
		}
		for range s.nodes {
			<-applied
		}
		round++
	}
	next()
	began := cost.CPU(b)
	b.ReportAllocs()
	for b.Loop() {
		next()
	}
	b.ReportMetric(float64(cost.CPU(b)-began)/float64(b.N*nodes)/1000, "cpu-µs/report")
	cancel()
	_ = out.Close()
	<-done
}

// stepOf returns a step whose srun has just been started.
func stepOf(nodes int) *step {
	b := &batch{stepOptions: stepOptions{crew: &jobSteps{id: "7", ladders: map[string]*ladder{}}}}
	for i := range nodes {
		b.wishes = append(b.wishes, &taskRequest{node: fmt.Sprintf("n%05d", i)})
	}
	d := New()
	d.limits.partial = time.Hour
	s := d.newStep(b)
	return s
}

// stepOpener opens sessions over the tasks of a step. It implements poller.Opener.
type stepOpener struct{ s *step }

func (o stepOpener) Route(context.Context, string) reach.Route { return reach.Route{Door: "srun"} }

func (o stepOpener) Open(ctx context.Context, node string, _ func(reach.Step)) (poller.Session, error) {
	t := o.s.tasks[node]
	<-t.up
	l := link.New(t.asPipe(), link.DefaultLimits)
	if err := l.Magic(ctx); err != nil {
		return nil, err
	}
	if _, err := l.Hello(ctx); err != nil {
		return nil, err
	}
	l.Tend(&shell{}, func(err error) error { return err })
	return l, nil
}

// replies is the input of a step whose probes answer at once.
type replies struct {
	to     *labeller
	labels map[string]int
}

func (r *replies) Write(line []byte) (int, error) {
	to, text, _ := strings.Cut(strings.TrimPrefix(string(line), "@"), " ")
	var asked wire.Request // a shared sign of life is not answered: the reports are sign enough
	if json.Unmarshal([]byte(text), &asked) == nil {
		var reply bytes.Buffer
		_ = wire.Write(&reply, wire.Message{Reply: &wire.Reply{ID: asked.ID}})
		r.to.print(r.labels[to], reply.Bytes())
	}
	return len(line), nil
}

func (r *replies) Close() error { return nil }

// labeller prints lines as srun --label does.
type labeller struct {
	mu     sync.Mutex
	w      *bufio.Writer
	folded bytes.Buffer
	nodes  int
}

func newLabeller(w io.Writer, nodes int) *labeller {
	return &labeller{w: bufio.NewWriter(w), nodes: nodes}
}

func (l *labeller) print(label int, lines []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.folded.Reset()
	_, _ = wire.Fold(&l.folded, fold).Write(lines)
	for piece := range bytes.Lines(l.folded.Bytes()) {
		fmt.Fprintf(l.w, "%*d: %s", len(fmt.Sprint(l.nodes-1)), label, piece)
	}
	_ = l.w.Flush()
}
