package scalars

import (
	"maps"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
)

// markSamples returns samples of the marks that arrived since the previous Snapshot, and enters them into the books of
// their jobs.
func (l *Log) markSamples(s *cluster.Snapshot) (samples []Sample) {
	last := l.marks
	for i := range s.Marks {
		m := &s.Marks[i]
		j := slices.IndexFunc(s.Jobs, func(j cluster.JobView) bool { return j.Marked(m) })
		if j < 0 || !m.Arrived.After(last) {
			continue
		}
		l.marks = m.Arrived
		if l.books[m.Job] == nil {
			l.books[m.Job] = &mark.Book{}
		}
		samples = append(samples, Sample{At: m.At, Elapsed: l.runTime(&s.Jobs[j], m.At), Job: s.Jobs[j].ID, Mark: m,
			Curve: curveOf(l.books[m.Job], m)})
	}
	maps.DeleteFunc(l.books, func(number string, _ *mark.Book) bool {
		return !slices.ContainsFunc(s.Jobs, func(j cluster.JobView) bool { return j.Number == number })
	})
	return samples
}

// curveOf enters a mark into the book of its job, and returns the points of its curve at this time. A curve also needs
// the earlier value: TensorBoard draws a line from point to point, which would otherwise be a ramp over hours.
func curveOf(b *mark.Book, m *cluster.Mark) []float64 {
	level := func() float64 {
		if b.IsOpen(m.Name) {
			return 1
		}
		return 0
	}
	before := level()
	b.Take(m)
	if m.Kind == cluster.Moment {
		return []float64{before, 1, level()}
	}
	return []float64{before, level()}
}

// addParts adds to the samples of a job's GPUs which parts of the job are open, and the words that it marked since the
// node's previous report. before says when that report arrived.
func (l *Log) addParts(samples []Sample, s *cluster.Snapshot, j *cluster.JobView, before map[string]time.Time) {
	book := l.books[j.Number]
	if book == nil {
		return
	}
	for i := range samples {
		g := &samples[i]
		for _, part := range book.Active(g.At) {
			g.Parts = append(g.Parts, part.Name())
		}
		since, known := before[g.Node]
		for k := range s.Marks {
			m := &s.Marks[k]
			ofJob := m.Kind == cluster.Moment && j.Marked(m)
			if ofJob && known && m.Arrived.After(since) && !m.Arrived.After(g.At) {
				g.Parts = append(g.Parts, m.Name)
			}
		}
	}
}
