// Package dense reads the packed numbers of recordings before version 4, which were written by an adaptive binary
// arithmetic coder. Its successor produces files a third larger, with a sixth of the code (docs/RECORDING.md).
//
// Numbers come in rows: one Kind of number, such as temperatures, of several things, each with a Slot. A number is
// stored as the difference from its expected value. The probabilities come from all earlier numbers of the Kind, so
// rows must be read in the order in which they were written. The input is not trusted: any input decodes to some
// numbers, and the only error is ErrEnd.
//
// A Decoder is for one goroutine.
package dense

import "errors"

// chance is the probability that a bit is 1, of 1<<16.
type chance uint16

const (
	even  chance = 1 << 15
	speed        = 5 // a chance moves by 1/32 of the rest
)

func (c *chance) learn(bit bool) {
	if bit {
		*c += (1<<16 - 1 - *c) >> speed
	} else {
		*c -= *c >> speed
	}
}

// split returns the end of the part of low to high that stands for 1.
func (c chance) split(low, high uint32) uint32 {
	return low + uint32(uint64(high-low)*uint64(c)>>16)
}

// Slot remembers one number of a row, from text to text.
type Slot struct {
	moved bool // it was not as expected
	row   bool // for the first in a row: the row had an unexpected number
}

// Kind has the probabilities of the numbers of one kind.
type Kind struct {
	row    [2]chance // one is unexpected; by whether one was unexpected the last time
	moved  [4]chance // the same for one number; also by whether the number before it in the row is unexpected
	copied chance    // it differs by as much as the number in the previous row
	minus  chance
	length [64]chance    // a tree: of the difference, in bits
	leads  [65][4]chance // a tree by length: the two bits behind the first
}

// NewKinds returns Kinds without any history.
func NewKinds(n int) []Kind {
	k := Kind{copied: even, minus: even}
	fill(k.row[:])
	fill(k.moved[:])
	fill(k.length[:])
	for i := range k.leads {
		fill(k.leads[i][:])
	}
	list := make([]Kind, n)
	for i := range list {
		list[i] = k
	}
	return list
}

func fill(list []chance) {
	for i := range list {
		list[i] = even
	}
}

// context returns the place of a chance in a pair, or in two pairs.
func context(first, second bool) (at int) {
	if first {
		at = 1
	}
	if second {
		at += 2
	}
	return at
}

// Decoder reads texts.
type Decoder struct {
	text         []byte
	low, high, x uint32  // the interval that bits have narrowed, and the number of the text in it
	beyond       int     // bytes read beyond the end
	above        []int64 // the differences in the previous row, by place; 0: none
}

// ErrEnd is the error of a text whose end is not the end of its numbers.
var ErrEnd = errors.New("the packed numbers do not end where they should")

// Begin begins a text.
func (d *Decoder) Begin(text []byte) {
	d.text, d.low, d.high, d.x, d.beyond = text, 0, 1<<32-1, 0, 0
	for range 4 {
		d.x = d.x<<8 | uint32(d.byte())
	}
	clear(d.above)
}

// Get reads a row into by, which is all 0: a difference for each Slot.
func (d *Decoder) Get(k *Kind, slots []Slot, by []int64) {
	if len(slots) == 0 {
		return
	}
	for len(d.above) < len(slots) {
		d.above = append(d.above, 0)
	}
	some := d.bit(&k.row[context(slots[0].row, false)])
	slots[0].row = some
	before := false
	for i := range slots {
		s := &slots[i]
		moved := some
		if some && len(slots) > 1 {
			moved = d.bit(&k.moved[context(s.moved, before)])
		}
		if s.moved = moved; moved {
			by[i] = d.difference(k, d.above[i])
		}
		if some {
			d.above[i], before = by[i], moved
		}
	}
}

func (d *Decoder) difference(k *Kind, above int64) int64 {
	if above != 0 && d.bit(&k.copied) {
		return above
	}
	minus := d.bit(&k.minus)
	n := int(d.tree(k.length[:], 6)) + 1
	lead := min(n-1, 2)
	rest := n - 1 - lead
	size := 1<<lead | d.tree(k.leads[n][:], lead)
	by := int64(size<<rest | d.plain(rest))
	if minus {
		by = -by
	}
	return by
}

// End returns ErrEnd if the text has not been read to its end, or had no end. The interval takes four bytes, of which
// one was written, or none: zeros follow.
func (d *Decoder) End() error {
	if len(d.text) > 0 || d.beyond > 4 {
		return ErrEnd
	}
	return nil
}

func (d *Decoder) byte() (b byte) {
	if len(d.text) == 0 {
		d.beyond++
		return 0
	}
	b, d.text = d.text[0], d.text[1:]
	return b
}

func (d *Decoder) bit(c *chance) bool {
	bit := d.narrow(c.split(d.low, d.high))
	c.learn(bit)
	return bit
}

func (d *Decoder) narrow(middle uint32) (bit bool) {
	if bit = d.x <= middle; bit {
		d.high = middle
	} else {
		d.low = middle + 1
	}
	d.shift()
	return bit
}

func (d *Decoder) shift() {
	for (d.low^d.high)>>24 == 0 {
		d.low, d.high = d.low<<8, d.high<<8|0xff
		d.x = d.x<<8 | uint32(d.byte())
	}
}

// tree reads n bits, the highest first, each with its own chance.
func (d *Decoder) tree(of []chance, n int) (x uint64) {
	at := uint64(1)
	for range n {
		bit := uint64(0)
		if d.bit(&of[at]) {
			bit = 1
		}
		at, x = at<<1|bit, x<<1|bit
	}
	return x
}

// Bits without chances are together where the interval has room for them.
const together = 8

// plain reads n bits without chances.
func (d *Decoder) plain(n int) (x uint64) {
	for n > 0 {
		if n >= together && d.high-d.low >= 1<<16 {
			n -= together
			part := (d.high - d.low) >> together
			bits := min((d.x-d.low)/part, 1<<together-1)
			d.low += part * bits
			d.high = d.low + part - 1
			d.shift()
			x = x<<together | uint64(bits)
			continue
		}
		n--
		x <<= 1
		if d.narrow(even.split(d.low, d.high)) {
			x |= 1
		}
	}
	return x
}
