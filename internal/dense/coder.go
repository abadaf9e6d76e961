package dense

// chance is how likely a bit is 1, of 1<<16.
type chance uint16

const (
	even  chance = 1 << 15
	speed        = 5 // a chance moves by 1/32 of what is left
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

// writer narrows an interval by each bit. The text is a number within it.
type writer struct {
	text      []byte
	low, high uint32
}

func newWriter(text []byte) writer { return writer{text: text, high: 1<<32 - 1} }

func (w *writer) bit(c *chance, bit bool) {
	w.narrow(c.split(w.low, w.high), bit)
	c.learn(bit)
}

func (w *writer) narrow(middle uint32, bit bool) {
	if bit {
		w.high = middle
	} else {
		w.low = middle + 1
	}
	w.shift()
}

func (w *writer) shift() {
	for (w.low^w.high)>>24 == 0 {
		w.text = append(w.text, byte(w.high>>24))
		w.low, w.high = w.low<<8, w.high<<8|0xff
	}
}

// tree writes the n lowest bits of x, the highest first, each with a chance of its own.
func (w *writer) tree(of []chance, n int, x uint64) {
	at := uint64(1)
	for i := n - 1; i >= 0; i-- {
		bit := x >> i & 1
		w.bit(&of[at], bit == 1)
		at = at<<1 | bit
	}
}

// plain writes the n lowest bits of x.
func (w *writer) plain(x uint64, n int) {
	for n > 0 {
		if n >= together && w.high-w.low >= roomy {
			n -= together
			part := (w.high - w.low) >> together
			w.low += part * uint32(x>>n&(1<<together-1))
			w.high = w.low + part - 1
			w.shift()
			continue
		}
		n--
		w.narrow(even.split(w.low, w.high), x>>n&1 == 1)
	}
}

// Bits without chances are coded together where the interval has room for them.
const (
	together = 8
	roomy    = 1 << 16
)

// end writes the shortest number in the interval. A reader takes zeros for what follows.
func (w *writer) end() []byte {
	if w.low > 0 {
		w.text = append(w.text, byte(w.low>>24)+1)
	}
	return w.text
}

// reader undoes writer.
type reader struct {
	text         []byte
	low, high, x uint32
	beyond       int // bytes read behind the end
}

func newReader(text []byte) reader {
	r := reader{text: text, high: 1<<32 - 1}
	for range 4 {
		r.x = r.x<<8 | uint32(r.byte())
	}
	return r
}

func (r *reader) byte() (b byte) {
	if len(r.text) == 0 {
		r.beyond++
		return 0
	}
	b, r.text = r.text[0], r.text[1:]
	return b
}

func (r *reader) bit(c *chance) bool {
	bit := r.narrow(c.split(r.low, r.high))
	c.learn(bit)
	return bit
}

func (r *reader) narrow(middle uint32) (bit bool) {
	if bit = r.x <= middle; bit {
		r.high = middle
	} else {
		r.low = middle + 1
	}
	r.shift()
	return bit
}

func (r *reader) shift() {
	for (r.low^r.high)>>24 == 0 {
		r.low, r.high = r.low<<8, r.high<<8|0xff
		r.x = r.x<<8 | uint32(r.byte())
	}
}

func (r *reader) tree(of []chance, n int) (x uint64) {
	at := uint64(1)
	for range n {
		bit := uint64(0)
		if r.bit(&of[at]) {
			bit = 1
		}
		at, x = at<<1|bit, x<<1|bit
	}
	return x
}

func (r *reader) plain(n int) (x uint64) {
	for n > 0 {
		if n >= together && r.high-r.low >= roomy {
			n -= together
			part := (r.high - r.low) >> together
			bits := min((r.x-r.low)/part, 1<<together-1)
			r.low += part * bits
			r.high = r.low + part - 1
			r.shift()
			x = x<<together | uint64(bits)
			continue
		}
		n--
		x <<= 1
		if r.narrow(even.split(r.low, r.high)) {
			x |= 1
		}
	}
	return x
}

// end returns ErrEnd if there is more text, or less than there must be. The interval takes four bytes, of which the
// writer has written one, or none.
func (r *reader) end() error {
	if len(r.text) > 0 || r.beyond > 4 {
		return ErrEnd
	}
	return nil
}
