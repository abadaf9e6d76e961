package shapes

import (
	"slices"
	"time"
)

const (
	sec  = time.Second
	mins = time.Minute
)

// span is a period of time.
type span struct{ from, to time.Duration }

func (s span) has(at time.Duration) bool { return at >= s.from && at < s.to }

// within returns the span that has a moment. Spans are in order.
func within(spans []span, at time.Duration) (int, bool) {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at time.Duration) int {
		if s.to <= at {
			return -1
		}
		return 1
	})
	return i, i < len(spans) && spans[i].has(at)
}

// times draws the spans of something that happens again and again when a watch begins.
type times func(r *rig) []span

// during are these spans.
func during(spans ...span) times { return func(*rig) []span { return spans } }

// and adds later times.
func (t times) and(more times) times {
	return func(r *rig) []span { return slices.Concat(t(r), more(r)) }
}

// every draws spans at a mean interval, each of about the same length.
func every(often, lasts time.Duration) times {
	return func(r *rig) (spans []span) {
		for at := time.Duration(float64(often) * (0.3 + 0.7*r.Float64())); at < r.Length; {
			spans = append(spans, span{at, at + r.about(lasts, 0.1)})
			at += r.about(often, 0.04)
		}
		return spans
	}
}

// bursts are spans of work, with pauses in between, both of which vary much.
func bursts(work, pause time.Duration) times {
	return func(r *rig) (spans []span) {
		for at := time.Duration(r.Float64() * float64(pause)); at < r.Length; {
			s := span{at, at + r.between(work/3, work*5/3)}
			spans = append(spans, s)
			at = s.to + r.between(pause/4, pause*7/4)
		}
		return spans
	}
}

// restarts are the restarts of the processes, and the time after each until they work.
func restarts(longer time.Duration) times {
	return func(r *rig) []span {
		spans := slices.Clone(r.down)
		for i := range spans {
			spans[i].to += longer
		}
		return spans
	}
}

// about returns a time that varies by a share, between a time from a to b.
func (r *rig) about(d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) * (1 + by*(2*r.Float64()-1)))
}

func (r *rig) between(a, b time.Duration) time.Duration {
	return a + time.Duration(r.Float64()*float64(b-a))
}

// scattered is a time up to a limit that depends on these numbers alone.
func scattered(upTo time.Duration, of ...uint64) time.Duration {
	return time.Duration(float64(upTo) * unit(of...))
}

// unit is a number from 0 to 1 that depends on these numbers alone.
func unit(of ...uint64) float64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range of {
		h ^= v + 0x9e3779b97f4a7c15 + h<<6 + h>>2
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) / (1 << 53)
}
