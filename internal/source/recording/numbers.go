package recording

import (
	"bytes"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The numbers of a report take most of a recording. In JSON each costs a key, digits and a comma, so they are packed:
// row by row, as multiples of their last decimal, and only as differences from the expected numbers.

// series is a number of a node, from report to report.
type series struct{ last, step int64 }

// expectedNumber returns the number that a difference of 0 stands for. A counter continues with its last step; other
// numbers stay the same.
func (s *series) expectedNumber(counter bool) int64 {
	if counter {
		return s.last + s.step
	}
	return s.last
}

func (s *series) setNumber(x int64) { s.last, s.step = x, x-s.last }

// numbers are the numbers of the last report of a node, in the order of a list.
type numbers struct {
	series []series
	list   []int64
}

// resize gives the list this length. New elements are zero.
func (n *numbers) resize(size int) {
	if size <= len(n.series) {
		n.series = n.series[:size]
		return
	}
	n.series = append(n.series, make([]series, size-len(n.series))...)
}

// resetNumbers sets the numbers to those of a report that was not packed.
func (n *numbers) resetNumbers(r *wire.Report, l *numberLayout) {
	n.list, _ = listNumbers(n.list, r, l)
	n.series = n.series[:0]
	for _, x := range n.list {
		n.series = append(n.series, series{last: x})
	}
}

// listNumbers returns the numbers of a report: the metrics of the node, those of the GPUs row by row, and the counts.
// exact is false if reading would not restore them exactly.
func listNumbers(to []int64, r *wire.Report, l *numberLayout) (list []int64, exact bool) {
	to, exact = to[:0], true
	for i := range l.node {
		m, same := l.node[i].toMultiple(&r.Host.Values)
		to, exact = append(to, m), exact && same
	}
	for i := range l.gpu {
		for g := range r.GPUs {
			m, same := l.gpu[i].toMultiple(&r.GPUs[g].Values)
			to, exact = append(to, m), exact && same
		}
	}
	to = append(to, int64(r.Seq), r.MonoMS, r.WallMS, r.TookMS)
	for i := range r.Jobs {
		to = append(to, int64(r.Jobs[i].Used))
	}
	return to, exact
}

// restoreNumbers sets the numbers of a report from a list. The report has the metrics of the previous report.
func restoreNumbers(list []series, r *wire.Report, l *numberLayout) {
	for i := range l.node {
		l.node[i].setValue(&r.Host.Values, list[i].last)
	}
	list = list[len(l.node):]
	for i := range l.gpu {
		for g := range r.GPUs {
			l.gpu[i].setValue(&r.GPUs[g].Values, list[i*len(r.GPUs)+g].last)
		}
	}
	list = list[len(l.gpu)*len(r.GPUs):]
	r.Seq, r.MonoMS, r.WallMS, r.TookMS = uint64(list[0].last), list[1].last, list[2].last, list[3].last
	for i := range r.Jobs {
		r.Jobs[i].Used = uint64(list[fewest+i].last)
	}
}

// packNumbers appends the numbers of a report, which are in list. Each row is written as differences in base64, then a
// semicolon. A row without differences is empty.
func (l *numberLayout) packNumbers(to []byte, n *numbers, r *wire.Report, list []int64) []byte {
	n.resize(len(list))
	l.eachRow(len(r.Jobs), len(r.GPUs), func(row packedRow) {
		begin, some := len(to), false
		for i := row.at; i < row.at+row.width; i++ {
			s := &n.series[i]
			by := list[i] - s.expectedNumber(row.counter)
			to, some = appendVLQ(to, by), some || by != 0
			s.setNumber(list[i])
		}
		if !some {
			to = to[:begin]
		}
		to = append(to, ';')
	})
	return to
}

// unpackNumbers reads the numbers into a report that already has the numbers of the previous one.
func (l *numberLayout) unpackNumbers(n *numbers, text []byte, r *wire.Report) error {
	n.resize(len(l.node) + len(l.gpu)*len(r.GPUs) + fewest + len(r.Jobs))
	bad := false
	l.eachRow(len(r.Jobs), len(r.GPUs), func(row packedRow) {
		list, rest, ended := bytes.Cut(text, []byte{';'})
		text, bad = rest, bad || !ended
		differs := len(list) > 0
		for i := row.at; i < row.at+row.width; i++ {
			by := int64(0)
			if differs {
				by, list = cutVLQ(list)
				bad = bad || list == nil
			}
			s := &n.series[i]
			s.setNumber(s.expectedNumber(row.counter) + by)
		}
		bad = bad || len(list) > 0
	})
	restoreNumbers(n.series, r, l)
	if bad || len(text) > 0 {
		return errPacked
	}
	return nil
}
