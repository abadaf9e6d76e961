package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// BenchmarkReport takes the reports of a node with 4 GPUs the whole way from a pipe of the system into the Store, one
// after the other. It counts CPU time: other work on the machine does not count.
func BenchmarkReport(b *testing.B) {
	const interval = 3 * time.Second
	past := pastOf(b, interval)
	far := newFarEnd(b)
	store := store.New(interval, health.Rules(health.Defaults()))
	store.Apply(past.jobs)
	applied := make(chan struct{})
	at := past.jobs.At
	// An interval this short lets reports in as fast as they come.
	nodes := poller.New(poller.Config{Opener: far, Interval: time.Microsecond, Retries: 1})
	nodes.SetNodes([]string{past.node})
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
	far.write(b, []byte(wire.Magic+"\n"), past.hello)
	next := func(i int) {
		far.write(b, past.reports[i%len(past.reports)])
		<-applied
	}
	next(0)
	began, i := used(b), 1
	b.ReportAllocs()
	for b.Loop() {
		next(i)
		i++
	}
	b.ReportMetric(float64(used(b)-began)/float64(b.N), "cpu-ns/report")
	cancel()
	<-done
}

// history is the past of a node: its lines, and the jobs on it.
type history struct {
	node    string
	jobs    cluster.Event
	hello   []byte
	reports [][]byte // the first one is whole
}

// pastOf returns the past of a node of the demo that was well all the time.
func pastOf(b *testing.B, interval time.Duration) (h history) {
	ctx, cancel := context.WithCancel(b.Context())
	hellos, reports := map[string][]*wire.Hello{}, map[string][]*wire.Report{}
	err := demo.New(12, 4, 1, interval, time.Hour).Run(ctx, func(e cluster.Event) {
		switch {
		case time.Since(e.At) < interval:
			cancel() // the past is over
		case e.Discovery != nil:
			h.jobs = e
		case e.Hello != nil:
			hellos[e.Node] = append(hellos[e.Node], e.Hello)
		case e.Report != nil:
			reports[e.Node] = append(reports[e.Node], e.Report)
		}
	})
	for name, of := range reports {
		if len(of) > len(reports[h.node]) && len(hellos[name]) == 1 && len(hellos[name][0].GPUs) == 4 {
			h.node = name
		}
	}
	var w wire.Writer
	line := func(m wire.Message) []byte {
		var to bytes.Buffer
		err = errors.Join(err, w.Write(&to, m))
		return to.Bytes()
	}
	h.hello = line(wire.Message{Hello: hellos[h.node][0]})
	for _, r := range reports[h.node] {
		h.reports = append(h.reports, line(wire.Message{Report: r}))
	}
	if err != nil {
		b.Fatal(err)
	}
	return h
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

// used returns the CPU time of the process.
func used(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
