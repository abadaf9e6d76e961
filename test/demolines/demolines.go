// Package demolines has the lines of a probe for benchmarks: those of a node of the demo that was well all the time.
package demolines

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Past is the past of a node: its lines, and the jobs on it.
type Past struct {
	Node    string
	Jobs    cluster.Event
	Hello   []byte
	Reports [][]byte // the first one is whole
}

// Of returns the past of a node with so many GPUs, over a span of the demo.
func Of(b *testing.B, gpus int, interval, span time.Duration) (p Past) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	hellos, reports := map[string][]*wire.Hello{}, map[string][]*wire.Report{}
	err := demo.New(12, gpus, 1, interval, span).Run(ctx, func(e cluster.Event) {
		switch {
		case time.Since(e.At) < interval:
			cancel() // the past is over
		case e.Discovery != nil:
			p.Jobs = e
		case e.Hello != nil:
			hellos[e.Node] = append(hellos[e.Node], e.Hello)
		case e.Report != nil:
			reports[e.Node] = append(reports[e.Node], e.Report)
		}
	})
	for name, of := range reports {
		if len(of) > len(reports[p.Node]) && len(hellos[name]) == 1 && len(hellos[name][0].GPUs) == gpus {
			p.Node = name
		}
	}
	var w wire.Writer
	line := func(m wire.Message) []byte {
		var to bytes.Buffer
		err = errors.Join(err, w.Write(&to, m))
		return to.Bytes()
	}
	p.Hello = line(wire.Message{Hello: hellos[p.Node][0]})
	for _, r := range reports[p.Node] {
		p.Reports = append(p.Reports, line(wire.Message{Report: r}))
	}
	if err != nil {
		b.Fatal(err)
	}
	return p
}
