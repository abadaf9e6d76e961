package mark

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Bounds of a Book.
const (
	maxTags  = 256
	maxSpans = 4096
	maxOpen  = 1 << 14
)

// Book adds up the GPU use of each part of a program. The zero Book is empty.
type Book struct {
	tags []*Tag
	from time.Time
}

// From leaves out everything that ended before a time, such as marks of an earlier program of the same job. Call it
// before adding marks.
func (b *Book) From(at time.Time) { b.from = at }

// Tag is a part with its times and its GPU use. It goes on until everyone who marked it has ended it.
type Tag struct {
	name        string
	open        map[string]bool // who has begun it
	since       time.Time       // of the present span
	spans       []span          // finished spans, newest last
	seconds     float64         // of all finished spans
	times       int
	first, last time.Time

	area, weight, most float64 // utilization in percent
	memory, ram        float64 // bytes; 0: unknown
	joules             float64
	powered            bool
}

type span struct{ from, to time.Time }

// Take adds a mark.
func (b *Book) Take(unsafe *cluster.Mark) {
	m := clean.Mark(*unsafe)
	i := slices.IndexFunc(b.tags, func(t *Tag) bool { return t.name == m.Name })
	if i < 0 {
		if len(b.tags) == maxTags || m.Kind == cluster.Ends {
			return
		}
		i = len(b.tags)
		b.tags = append(b.tags, &Tag{name: m.Name, open: map[string]bool{}, first: m.At})
	}
	t := b.tags[i]
	if m.Kind == cluster.Begins && t.open[m.By] && t.since.Before(b.from) && !m.At.Before(b.from) {
		// an earlier program was killed in this part, and did not end it
		*t = Tag{name: t.name, open: map[string]bool{}, first: m.At}
	}
	t.addMark(&m, m.At.Before(b.from))
}

// addMark adds a mark of the part. before says that it is from before the time from which parts count.
func (t *Tag) addMark(m *cluster.Mark, before bool) {
	switch {
	case m.Kind == cluster.Begins && !t.open[m.By] && len(t.open) < maxOpen:
		if len(t.open) == 0 {
			if t.since = m.At; t.times == 0 {
				t.first = m.At
			}
			t.times++
		}
		t.open[m.By] = true
	case m.Kind == cluster.Ends && t.open[m.By]:
		switch delete(t.open, m.By); {
		case len(t.open) == 0 && before:
			t.times--
			return
		case len(t.open) == 0 && !m.At.Before(t.since):
			t.spans = append(t.spans, span{t.since, m.At})
			t.seconds += m.At.Sub(t.since).Seconds()
			if len(t.spans) > maxSpans {
				t.spans = slices.Delete(t.spans, 0, maxSpans/2)
			}
		}
		t.last = m.At
	case m.Kind == cluster.Moment && !before:
		if t.times == 0 {
			t.first = m.At
		}
		t.times++
		t.last = m.At
	}
}

// Name returns the name of the part.
func (t *Tag) Name() string { return t.name }

// Active returns the parts that were open at a time.
func (b *Book) Active(at time.Time) (active []*Tag) {
	for _, t := range b.tags {
		if t.isActiveAt(at) {
			active = append(active, t)
		}
	}
	return active
}

func (t *Tag) isActiveAt(at time.Time) bool {
	if len(t.open) > 0 && !at.Before(t.since) {
		return true
	}
	for i := len(t.spans) - 1; i >= 0; i-- {
		switch s := t.spans[i]; {
		case at.After(s.to):
			return false
		case !at.Before(s.from):
			return true
		}
	}
	return false
}

// IsOpen reports whether a part with that name has begun and not ended.
func (b *Book) IsOpen(name string) bool {
	return slices.ContainsFunc(b.tags, func(t *Tag) bool { return t.name == name && len(t.open) > 0 })
}

// GPU adds a sample of a GPU. The sample counts for the seconds before it. NaN is unknown.
func (t *Tag) GPU(seconds, util, memory, watts float64) {
	if util == util {
		t.area, t.weight, t.most = t.area+util*max(seconds, 1e-3), t.weight+max(seconds, 1e-3), max(t.most, util)
	}
	if memory == memory {
		t.memory = max(t.memory, memory)
	}
	if watts == watts {
		t.joules, t.powered = t.joules+watts*seconds, true
	}
}

// RAM adds a sample of the program's memory.
func (t *Tag) RAM(bytes float64) { t.ram = max(t.ram, bytes) }

// Copy returns a Book that does not change with this one.
func (b *Book) Copy() Book {
	c := Book{from: b.from}
	for _, t := range b.tags {
		copied := *t
		copied.open, copied.spans = maps.Clone(t.open), slices.Clone(t.spans)
		c.tags = append(c.tags, &copied)
	}
	return c
}

// Tags returns the parts up to a time, by when they began.
func (b *Book) Tags(until time.Time) (list []report.Tag) {
	for _, t := range b.tags {
		if t.times == 0 {
			continue
		}
		r := report.Tag{Name: t.name, From: t.first.UTC(), To: t.last.UTC(), Seconds: t.seconds, Times: t.times}
		if t.last.IsZero() {
			r.To = t.last
		}
		if len(t.open) > 0 {
			r.Seconds += max(until.Sub(t.since).Seconds(), 0)
			r.To = time.Time{}
		}
		r.Seconds = math.Round(r.Seconds*1000) / 1000
		if t.weight > 0 {
			r.Util = &report.TagUtil{Mean: math.Round(100*t.area/t.weight) / 100, Highest: t.most}
		}
		r.GPUMemory, r.RAM = nonZeroPointer(t.memory), nonZeroPointer(t.ram)
		if t.powered {
			joules := math.Round(t.joules)
			r.Energy = &joules
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b report.Tag) int { return a.From.Compare(b.From) })
	return list
}

func nonZeroPointer(n float64) *uint64 {
	if n == 0 {
		return nil
	}
	return new(uint64(n))
}
