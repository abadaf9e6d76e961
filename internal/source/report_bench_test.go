package source

import (
	"context"
	"errors"
	"io"
	"os"
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

// BenchmarkReport takes the reports of a node with 4 GPUs the whole way from a pipe of the system into the Store, one
// after the other. It counts CPU time: other work on the machine does not count.
func BenchmarkReport(b *testing.B) {
	const interval = 3 * time.Second
	past := demolines.Of(b, 4, interval, time.Hour)
	far := newFarEnd(b)
	store := store.New(interval, health.Rules(health.Defaults()))
	store.Apply(past.Jobs)
	applied := make(chan struct{})
	at := past.Jobs.At
	// An interval this short lets reports in as fast as they come.
	nodes := poller.New(poller.Config{Opener: far, Interval: time.Microsecond, Retries: 1})
	nodes.SetNodes([]string{past.Node})
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		nodes.Run(ctx, func(e cluster.Event) {
			if e.Report != nil {
				at = at.Add(interval)
			}
			e.At = at
			store.Apply(e)
			if e.Report != nil {
				applied <- struct{}{}
			}
		})
	}()
	far.write(b, []byte(wire.Magic+"\n"), past.Hello)
	next := func(i int) {
		far.write(b, past.Reports[i%len(past.Reports)])
		<-applied
	}
	next(0)
	began, i := cost.CPU(b), 1
	b.ReportAllocs()
	for b.Loop() {
		next(i)
		i++
	}
	b.ReportMetric(float64(cost.CPU(b)-began)/float64(b.N), "cpu-ns/report")
	cancel()
	<-done
}

// farEnd is a node at the other end of pipes. It implements poller.Opener.
type farEnd struct{ in, out, read, answers *os.File }

func newFarEnd(b *testing.B) *farEnd {
	f := &farEnd{}
	var err1, err2 error
	f.read, f.out, err1 = os.Pipe()
	f.in, f.answers, err2 = os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	return f
}

func (f *farEnd) write(b *testing.B, lines ...[]byte) {
	for _, line := range lines {
		if _, err := f.out.Write(line); err != nil {
			b.Fatal(err)
		}
	}
}

func (f *farEnd) Route(context.Context, string) reach.Route { return reach.Route{Door: "ssh"} }

func (f *farEnd) Open(ctx context.Context, _ string, _ func(reach.Step)) (poller.Session, error) {
	go func() {
		for lines := wire.NewReader(f.in); ; {
			var r wire.Request
			if lines.Next(&r) != nil || wire.Write(f.out, wire.Message{Reply: &wire.Reply{ID: r.ID}}) != nil {
				_ = f.out.Close()
				return
			}
		}
	}()
	pipe := &link.Pipe{In: f.answers, Out: f.read, Words: link.NewWords(),
		Wait: func() link.Exit { return link.Exit{Known: true} }, Kill: func() {}}
	s := link.New(pipe, link.DefaultLimits)
	if err := s.Magic(ctx); err != nil {
		return nil, err
	}
	if _, err := s.Hello(ctx); err != nil {
		return nil, err
	}
	s.Tend(nowhere{}, func(err error) error { return err })
	return s, nil
}

// nowhere is a link.Way that is always there.
type nowhere struct{ io.Closer }

func (nowhere) Ping(context.Context) error { return nil }
func (nowhere) Close() error               { return nil }
