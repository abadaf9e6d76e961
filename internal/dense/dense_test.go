package dense

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// numbers are what a test writes: the number of series k at time i.
var numbers = map[string]func(i, k int) int64{
	"constant": func(_, k int) int64 { return int64(k) },
	"counter":  func(i, k int) int64 { return int64(1e12 + 1440*i + k) },
	"noise":    func(_, _ int) int64 { return rand.Int64N(1 << 33) },
	"small":    func(_, _ int) int64 { return 95 + rand.Int64N(4) },
	"any":      func(_, _ int) int64 { return int64(rand.Uint64()) },
	"extremes": func(i, _ int) int64 { return [...]int64{math.MinInt64, math.MaxInt64, 0, -1, 1}[i%5] },
}

const series = 64

// write writes some texts, and reads them again.
func write(t *testing.T, of func(i, k int) int64) (bytes int) {
	t.Helper()
	var e Encoder
	var d Decoder
	to, from := NewKind(true), NewKind(true)
	to2, from2 := NewKind(true), NewKind(true)
	var written, read, written2, read2 [series]Slot
	var one [2]Slot
	for i := range 1000 {
		var want [series]int64
		e.Begin()
		for k := range series {
			want[k] = of(i, k)
		}
		e.Put(to, written[:], want[:])
		e.Put(to2, written2[:], want[:]) // costs little: the same differences
		e.Put(to2, one[:1], want[:1])
		text := e.Text()
		bytes += len(text)
		d.Begin(text)
		var got [series]int64
		if d.Get(from, read[:], got[:]); got != want {
			t.Fatalf("text %d has %d, want %d", i, got, want)
		}
		if d.Get(from2, read2[:], got[:]); got != want {
			t.Fatalf("text %d has %d then, want %d", i, got, want)
		}
		if d.Get(from2, one[1:], got[:1]); got[0] != want[0] {
			t.Fatalf("text %d ends with %d, want %d", i, got[0], want[0])
		}
		if err := d.End(); err != nil {
			t.Fatalf("text %d: %v", i, err)
		}
	}
	return bytes
}

func TestNumbers(t *testing.T) {
	for name, of := range numbers {
		t.Run(name, func(t *testing.T) { write(t, of) })
	}
}

// What is expected costs nearly nothing, and what cannot be known little more than its digits.
func TestSize(t *testing.T) {
	for name, most := range map[string]float64{"constant": 0.2, "counter": 0.25, "noise": 36, "small": 4.4} {
		if bits := float64(8*write(t, numbers[name])) / 1000 / series; bits > most {
			t.Errorf("a number of %s takes %.2f bits, more than %.2f", name, bits, most)
		}
	}
}

// A text that is longer than it was, or not there, has no end where it should.
func TestEnd(t *testing.T) {
	var e Encoder
	var row [8]int64
	for i := range row {
		row[i] = rand.Int64()
	}
	e.Begin()
	e.Put(NewKind(false), make([]Slot, len(row)), row[:])
	text := e.Text()
	for size, want := range map[int]error{len(text): nil, 0: ErrEnd} {
		if err := decode(text[:size], 8); !errors.Is(err, want) {
			t.Errorf("%d of %d bytes: %v, want %v", size, len(text), err, want)
		}
	}
	if err := decode(append(text, 1, 2, 3, 4), 8); !errors.Is(err, ErrEnd) {
		t.Errorf("with more behind it: %v", err)
	}
}

func decode(text []byte, n int) error {
	var d Decoder
	d.Begin(text)
	d.Get(NewKind(false), make([]Slot, n), make([]int64, n))
	return d.End()
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte{}, 1)
	f.Add([]byte("hello, world"), 100)
	f.Fuzz(func(_ *testing.T, text []byte, n int) { _ = decode(text, n&1023) })
}

func BenchmarkPut(b *testing.B) {
	var e Encoder
	k := NewKind(false)
	var s [series]Slot
	var row [series]int64
	for i := 0; b.Loop(); i++ {
		e.Begin()
		for at := range row {
			row[at] = int64(i * at % 100)
		}
		e.Put(k, s[:], row[:])
		e.Text()
	}
}
