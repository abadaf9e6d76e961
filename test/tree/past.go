package tree

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Past is what the probe of a node of the demo has sent.
type Past struct {
	Hello   []byte
	Whole   [][]byte // each report as it is without those before it
	Changes [][]byte // and with them

	events []cluster.Event
}

// Pasts returns the pasts of so many nodes of the demo, with gpus each, that were well all the time: a Hello, and that
// many reports.
func Pasts(nodes, gpus, reports int, interval time.Duration) (all []Past, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events, failed := map[string][]cluster.Event{}, map[string]bool{}
	begin := time.Now()
	err = demo.New(nodes+8, gpus, demo.Seed, interval, time.Duration(reports+1)*interval).Run(ctx,
		func(e cluster.Event) {
			switch {
			case !e.At.Before(begin):
				cancel() // the past is over
			case e.Down != nil:
				failed[e.Node] = true
			case e.Hello != nil || e.Report != nil:
				events[e.Node] = append(events[e.Node], e)
			}
		})
	for _, name := range slices.Sorted(maps.Keys(events)) {
		of := events[name]
		if failed[name] || len(all) == nodes || len(of) <= reports || len(of[0].Hello.GPUs) != gpus {
			continue
		}
		p, packErr := pack(of[:reports+1])
		all, err = append(all, p), errors.Join(err, packErr)
	}
	if err == nil && len(all) < nodes {
		err = errors.New("the demo has too few nodes with so many reports")
	}
	return all, err
}

// pack encodes the events of a node as its probe does.
func pack(events []cluster.Event) (p Past, err error) {
	line := func(w *wire.Writer, m wire.Message) []byte {
		var to bytes.Buffer
		err = errors.Join(err, w.Write(&to, m))
		return to.Bytes()
	}
	var w wire.Writer
	p.events = events
	p.Hello = line(&w, wire.Message{Hello: events[0].Hello})
	for _, e := range events[1:] {
		if e.Report == nil {
			return p, errors.New("a second hello")
		}
		p.Whole = append(p.Whole, line(&wire.Writer{}, wire.Message{Report: e.Report}))
		p.Changes = append(p.Changes, line(&w, wire.Message{Report: e.Report}))
	}
	return p, err
}

// Summaries returns the Summary of the node after each report.
func (p *Past) Summaries(gpus int, interval time.Duration) []Summary {
	name := p.events[0].Node
	g := NewGatherer([]string{name}, gpus, interval, p.events[0].At)
	var all []Summary
	for _, e := range p.events {
		if g.Apply(e); e.Report != nil {
			all = append(all, g.Look(e.At)[0])
		}
	}
	return all
}
