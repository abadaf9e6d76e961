package graph

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Strip draws the past of nodes, one row each. A column is a period: its height is the value of the GPU that matters
// most, and a letter is a problem. All nodes end at the same bin, which depends only on the time of the Snapshot, so
// only the nodes that are drawn are read.
type Strip struct {
	bin      time.Duration
	sampling draw.Sampling
	findings map[string][]*cluster.Finding // by node, present findings first
}

// spanOf is the longest time that graphs show, given the width of the bins and the chosen span; 0: the usual one.
func spanOf(bin, span time.Duration) time.Duration {
	if span == 0 {
		span = history.Usual
	}
	return max(span, graphBins*bin)
}

// NewStrip returns the strip of the job's nodes in at most width columns. A column is a whole number of bins.
func NewStrip(f *part.Frame, width int) *Strip {
	bin := f.Snap.Bin()
	span := int((spanOf(bin, f.Snap.Span) + bin - 1) / bin)
	width = max(width, 1)
	each := (span + width - 1) / width
	columns := (span + each - 1) / each
	s := &Strip{bin: bin, findings: map[string][]*cluster.Finding{}}
	// The reports for the last bin are on their way.
	s.sampling = draw.Sampling{Newest: s.binOf(f.Snap.At) - 1, Bins: columns * each, Dots: columns}
	for _, list := range [][]cluster.Finding{f.Job.Findings, f.Job.Cleared} {
		for i := range list {
			s.findings[list[i].Node] = append(s.findings[list[i].Node], &list[i])
		}
	}
	return s
}

func (s *Strip) binOf(t time.Time) int64 { return t.UnixNano() / int64(s.bin) }

// Width returns the number of columns of the strip.
func (s *Strip) Width() int { return s.sampling.Dots }

// Span returns the time that the strip covers.
func (s *Strip) Span() time.Duration { return time.Duration(s.sampling.Bins) * s.bin }

// Column returns the time of one column.
func (s *Strip) Column() time.Duration { return s.Span() / time.Duration(s.Width()) }

// Axis writes the times of the columns into row y.
func (s *Strip) Axis(f *part.Frame, x, y int) {
	w, span := s.Width(), s.Span().Round(time.Minute)
	f.Put(x, y, "-"+draw.Age(span), draw.Dim)
	if half := "-" + draw.Age(span/2); w >= 40 && span%(2*time.Minute) == 0 {
		f.Put(x+w/2, y, half, draw.Dim)
	}
	end := time.Time{}
	if f.Ago != "" {
		end = f.Snap.At
	}
	f.Right(x, y, w, endOf(end), draw.Dim)
}

// mark is drawn in a column instead of a height.
type mark struct {
	glyph rune // 0: none
	role  draw.Role
	rank  int // the lowest rank wins
}

// Row draws one node.
func (s *Strip) Row(f *part.Frame, x, y int, n *cluster.Node) {
	pool := draw.PoolLowest
	if f.Gauge.Highest() {
		pool = draw.PoolHighest
	}
	levels := s.sampling.Resample(f.Gauge.Outer(f.Own(n), s.sampling.Newest, s.sampling.Values()), pool)
	silences, letters := s.columnMarks(f, n)
	for i, v := range levels {
		m := letters[i]
		switch {
		case v != v && silences[i].glyph != 0:
			m = silences[i]
		case m.glyph == 0:
			m = mark{glyph: draw.Height(float64(v)), role: f.GaugeRole(float64(v), draw.Cell)}
		}
		if m.glyph != ' ' {
			f.Fill(x+i, y, 1, m.glyph, m.role)
		}
	}
}

// columnMarks returns a node's marks for columns without data, and its marks for all other columns.
func (s *Strip) columnMarks(f *part.Frame, n *cluster.Node) (silences, letters []mark) {
	silences, letters = make([]mark, s.Width()), make([]mark, s.Width())
	for _, finding := range s.findings[n.Name] {
		to := finding.Over
		if finding.Holds() {
			to = f.Snap.At
		}
		m, letter := silenceOf(finding.Kind), say.LabelOf(finding).Letter
		switch {
		case m.glyph != 0:
			s.markPeriod(silences, m, finding.Since, to)
		case letter == 0:
		case marksBeginningOnly(letter) && finding.Before: // it began at an unknown time
			s.markPeriod(letters, letterMark(finding, letter), to, to)
		case marksBeginningOnly(letter):
			s.markPeriod(letters, letterMark(finding, letter), finding.Since, finding.Since)
		default:
			s.markPeriod(letters, letterMark(finding, letter), finding.Since, to)
		}
	}
	switch n.State { // some states have no finding, or a late one
	case cluster.NodeStale:
		s.markPeriod(silences, silenceOf(cluster.KindStale), n.Arrived, f.Snap.At)
	case cluster.NodeConnecting:
		s.markPeriod(silences, silenceOf(cluster.KindConnecting), n.Since, f.Snap.At)
	case cluster.NodeFailed:
		s.markPeriod(silences, silenceOf(cluster.KindFailed), n.Since, f.Snap.At)
	}
	return silences, letters
}

// marksBeginningOnly reports whether a letter stands for a problem that stays until somebody repairs it, and hardly
// changes the load. Only its beginning is marked, so that the load after it can be seen.
func marksBeginningOnly(letter byte) bool { return letter == 'E' || letter == 'N' }

func letterMark(f *cluster.Finding, letter byte) mark {
	return mark{rune(letter), part.Marks[f.Severity].Role, stripRank(f)}
}

// stripRank orders the letters of a column. Only a lost GPU comes before a slow one, since the heights are those of the
// lowest GPU.
func stripRank(finding *cluster.Finding) int {
	if finding.Kind == cluster.KindLag || finding.Kind == cluster.KindIdle {
		return 1
	}
	return 2 * say.LetterRank(say.LabelOf(finding).Letter)
}

// silenceOf returns the mark for times without data.
func silenceOf(k cluster.Kind) mark {
	switch k {
	case cluster.KindFailed, cluster.KindNoDriver:
		return mark{'✗', draw.Crit, 0}
	case cluster.KindStale:
		return mark{'░', draw.Ghost, 1}
	case cluster.KindConnecting:
		return mark{'·', draw.Dim, 2}
	}
	return mark{}
}

// markPeriod marks the columns of a period, except those with a worse mark.
func (s *Strip) markPeriod(marks []mark, m mark, from, to time.Time) {
	each := int64(s.sampling.Bins / s.sampling.Dots)
	last := s.sampling.Newest / each
	left := last - int64(s.Width()) + 1
	if from.IsZero() {
		from = to
	}
	// The present may be in the next column, which is not shown yet.
	first, final := min(s.binOf(from)/each, last), min(s.binOf(to)/each, last)
	for i := max(first-left, 0); i <= final-left; i++ {
		if old := marks[i]; old.glyph == 0 || m.rank < old.rank {
			marks[i] = m
		}
	}
}
