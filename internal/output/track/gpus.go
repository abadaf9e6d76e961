package track

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpuUsage has the probe's values of the GPUs. Without a GPU all are 0, as in gpu_tracker's report.
type gpuUsage struct {
	expected []string // UUIDs; empty: all

	cards    []wire.Card // without MIG instances, whose memory is part of their GPU's
	capacity float64     // bytes
	used     GPURAM      // bytes
	load     meter       // of the expected GPUs
	last     int64       // MonoMS of the last report; 0: none yet
	listed   []wire.Process
	now      GPURAM  // bytes, of the last report
	percent  float64 // likewise, of the expected GPUs
	window   float64 // seconds before it; 0: unknown
}

// applyEvent adds an Event. Reports count once the command runs.
func (g *gpuUsage) applyEvent(e *cluster.Event, running bool) {
	switch {
	case e.Hello != nil && len(e.Hello.GPUs) > 0: // if the driver goes away, they are kept
		g.cards = slices.DeleteFunc(slices.Clone(e.Hello.GPUs), func(c wire.Card) bool { return c.Instance != nil })
		total := 0.0
		for i := range g.cards {
			bytes, _ := g.cards[i].Values.Get(metric.MemoryTotal)
			total += bytes
		}
		g.capacity = max(g.capacity, total)
	case e.Report != nil && running:
		g.addReport(e.Report)
	}
}

func (g *gpuUsage) addReport(r *wire.Report) {
	var used, capacity, load float64
	for i := range r.GPUs {
		sample := &r.GPUs[i]
		card := g.findCard(sample.Index)
		if card == nil {
			continue
		}
		used += metricOrZero(sample, card, metric.MemoryUsed)
		capacity += metricOrZero(sample, card, metric.MemoryTotal)
		if g.isExpected(card) {
			load += metricOrZero(sample, card, metric.Util)
		}
	}
	g.used.System = max(g.used.System, used)
	g.capacity = max(g.capacity, capacity)
	window := 0.0
	if g.last > 0 && r.MonoMS > g.last {
		window = float64(r.MonoMS-g.last) / 1000
	}
	g.last, g.window = r.MonoMS, window
	g.load.addUtilization(load, window)
	g.now.System, g.percent = used, load
	if r.Listed {
		g.listed = r.Processes
	}
}

func (g *gpuUsage) findCard(index int) *wire.Card {
	for i := range g.cards {
		if g.cards[i].Index == index {
			return &g.cards[i]
		}
	}
	return nil
}

// metricOrZero returns a metric of a GPU; 0 if the driver does not report it.
func metricOrZero(sample *wire.GPU, card *wire.Card, id metric.ID) float64 {
	x, known := sample.Values.Get(id)
	if !known {
		x, _ = card.Values.Get(id)
	}
	return x
}

func (g *gpuUsage) isExpected(card *wire.Card) bool {
	return len(g.expected) == 0 || slices.Contains(g.expected, card.UUID)
}

// expectedCount returns how many GPUs are expected to be used.
func (g *gpuUsage) expectedCount() int {
	if len(g.expected) == 0 {
		return len(g.cards)
	}
	return len(g.expected)
}

// attributeMemory adds up the memory of the processes in the last report.
func (g *gpuUsage) attributeMemory(f *family) {
	var main, descendants float64
	for i := range g.listed {
		p := &g.listed[i]
		m := f.members[p.PID]
		if p.Foreign || p.Ended || p.GPUMemory == nil || m == nil || p.StartTicks != 0 && p.StartTicks != m.Start {
			continue
		}
		if p.PID == f.main {
			main += float64(*p.GPUMemory)
		} else {
			descendants += float64(*p.GPUMemory)
		}
	}
	g.now.Main, g.now.Descendants, g.now.Combined = main, descendants, main+descendants
	g.used.Main = max(g.used.Main, main)
	g.used.Descendants = max(g.used.Descendants, descendants)
	g.used.Combined = max(g.used.Combined, main+descendants)
}

func (g *gpuUsage) makeRAM(unit string) GPURAM {
	size, u := sizeOf(sizes, unit), g.used
	return GPURAM{Unit: unit, SystemCapacity: g.capacity / size, System: u.System / size, Main: u.Main / size,
		Descendants: u.Descendants / size, Combined: u.Combined / size}
}

func (g *gpuUsage) makeUtilization() GPUUtilization {
	return GPUUtilization{SystemGPUs: len(g.cards), ExpectedGPUs: g.expectedCount(),
		Percentages: g.load.meterPercents(g.expectedCount())}
}
