// Package dense writes numbers that follow each other in time in few bits: what is expected costs nearly nothing, the
// rest its own digits.
//
// Numbers come in rows: one Kind, such as temperatures, of several things. Each has a Slot, which remembers the numbers
// before it. Only the difference to the expected number is written, by an adaptive binary arithmetic coder: its
// probabilities are those of the Kind so far. So both ends must put and get rows of the same Kinds and Slots in the
// same order. Numbers are exact. What is read is not trusted: any text gives some numbers, and no error but ErrEnd.
//
// An Encoder or a Decoder is for one goroutine.
package dense

import (
	"errors"
	"math/bits"
)

// Slot remembers the numbers of one series.
type Slot struct {
	last, step int64
	moved      bool // the last number was not the expected one
	row        bool // of the first in a row: one of the row was not
}

// Reset makes a number known: it was told in another way.
func (s *Slot) Reset(x int64) { *s = Slot{last: x} }

// expected is the number that costs the least. The step of a counter stays about the same, other numbers stay.
func (s *Slot) expected(k *Kind) int64 {
	if k.Counter {
		return s.last + s.step
	}
	return s.last
}

func (s *Slot) set(x int64, moved bool) { s.last, s.step, s.moved = x, x-s.last, moved }

// Kind has the probabilities of the numbers of one kind.
type Kind struct {
	Counter bool // the numbers grow by about the same each time

	row    [2]chance // one is not as expected; by whether one was not the last time
	moved  [4]chance // likewise of one number; also by whether the number before it in the row is
	copied chance    // it differs as much as that of the row before it
	minus  chance
	length [64]chance    // a tree: of the difference, in bits
	leads  [65][4]chance // a tree by length: the two bits behind the first
}

// NewKind returns a Kind of which nothing is known yet.
func NewKind(counter bool) *Kind {
	k := &Kind{Counter: counter, copied: even, minus: even}
	fill(k.row[:])
	fill(k.moved[:])
	fill(k.length[:])
	for i := range k.leads {
		fill(k.leads[i][:])
	}
	return k
}

func fill(list []chance) {
	for i := range list {
		list[i] = even
	}
}

// ErrEnd says that a text is not what an Encoder has written.
var ErrEnd = errors.New("the packed numbers do not end where they should")

// above are the differences in the row before, by place; 0: there was none.
type above []int64

func (a *above) fit(n int) {
	for len(*a) < n {
		*a = append(*a, 0)
	}
}

// context says which of a pair, or of two pairs, of chances counts.
func context(first, second bool) (at int) {
	if first {
		at = 1
	}
	if second {
		at += 2
	}
	return at
}

// Encoder writes texts.
type Encoder struct {
	out   writer
	above above
}

// Begin begins a text.
func (e *Encoder) Begin() {
	if e.out.text == nil {
		e.out.text = make([]byte, 0, 512)
	}
	e.out = newWriter(e.out.text[:0])
	clear(e.above)
}

// Put writes a row of numbers, one for each Slot.
func (e *Encoder) Put(k *Kind, slots []Slot, row []int64) {
	if len(slots) == 0 {
		return
	}
	e.above.fit(len(slots))
	some := false
	for i := range slots {
		some = some || row[i] != slots[i].expected(k)
	}
	e.out.bit(&k.row[context(slots[0].row, false)], some)
	slots[0].row = some
	before := false
	for i := range slots {
		s := &slots[i]
		by := row[i] - s.expected(k)
		moved := by != 0
		if some && len(slots) > 1 {
			e.out.bit(&k.moved[context(s.moved, before)], moved)
		}
		if s.set(row[i], moved); moved {
			e.difference(k, by, e.above[i])
		}
		if some {
			e.above[i], before = by, moved
		}
	}
}

func (e *Encoder) difference(k *Kind, by, above int64) {
	if above != 0 {
		e.out.bit(&k.copied, by == above)
		if by == above {
			return
		}
	}
	e.out.bit(&k.minus, by < 0)
	size := uint64(by)
	if by < 0 {
		size = -size
	}
	n := bits.Len64(size) // 1 to 64
	e.out.tree(k.length[:], 6, uint64(n-1))
	lead := min(n-1, 2)
	rest := n - 1 - lead
	e.out.tree(k.leads[n][:], lead, size>>rest)
	e.out.plain(size, rest)
}

// Text ends the text and returns it, valid until the next Begin. It may be empty, but is never nil.
func (e *Encoder) Text() []byte { return e.out.end() }

// Decoder reads texts.
type Decoder struct {
	in    reader
	above above
}

// Begin begins with a text.
func (d *Decoder) Begin(text []byte) {
	d.in = newReader(text)
	clear(d.above)
}

// Get reads a row of numbers, one for each Slot.
func (d *Decoder) Get(k *Kind, slots []Slot, row []int64) {
	if len(slots) == 0 {
		return
	}
	d.above.fit(len(slots))
	some := d.in.bit(&k.row[context(slots[0].row, false)])
	slots[0].row = some
	before := false
	for i := range slots {
		s := &slots[i]
		by, moved := int64(0), some
		if some && len(slots) > 1 {
			moved = d.in.bit(&k.moved[context(s.moved, before)])
		}
		if moved {
			by = d.difference(k, d.above[i])
		}
		row[i] = s.expected(k) + by
		s.set(row[i], moved)
		if some {
			d.above[i], before = by, moved
		}
	}
}

func (d *Decoder) difference(k *Kind, above int64) int64 {
	if above != 0 && d.in.bit(&k.copied) {
		return above
	}
	minus := d.in.bit(&k.minus)
	n := int(d.in.tree(k.length[:], 6)) + 1
	lead := min(n-1, 2)
	rest := n - 1 - lead
	size := 1<<lead | d.in.tree(k.leads[n][:], lead)
	by := int64(size<<rest | d.in.plain(rest))
	if minus {
		by = -by
	}
	return by
}

// End returns ErrEnd if the text has not been read to its end, or had no end.
func (d *Decoder) End() error { return d.in.end() }
