package python

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// numbers is where a description of 3.13 has a number, and the number that fits the fake.
var numbers = map[int]uint64{4: 40, 7: 0, 8: 72, 13: 384, 14: 0, 16: 16, 17: 8, 20: 8, 21: 16, 22: 56, 23: 136,
	24: 144, 28: 8, 29: 0, 30: 56, 32: 70, 34: 112, 35: 120, 37: 136, 38: 68, 42: 192, 44: 8, 64: 16, 65: 32, 67: 32,
	68: 16, 69: 40}

// describe makes the description of a fake.
func describe() []byte {
	head := make([]byte, described)
	copy(head, cookie)
	binary.LittleEndian.PutUint64(head[len(cookie):], 0x030d00f0)
	for i, n := range numbers {
		binary.LittleEndian.PutUint64(head[len(cookie)+8*i:], n)
	}
	return head
}

// image is a fake with a stack of two calls, of which the runtime describes itself.
func image(t testing.TB) *interpreter {
	t.Helper()
	i := newInterpreter(t)
	f := i.function(i.textOf("train", 1), i.textOf("/x.py", 1), []byte{0x80, 0})
	g := i.function(i.textOf("имя", 2), i.textOf("/𝒳.py", 4), []byte{0x80 | 11<<3, 0, 0})
	i.word(i.state+56, i.call(g, i.call(f, 0)))
	return i
}

// readAs reads the stacks of an image as a description says.
func (i *interpreter) readAs(head []byte) (frames int, err error) {
	l, _, _, err := describedLayout(head)
	if err != nil {
		return 0, err
	}
	r := &Runtime{mem: memory.New(i.read, time.Now().Add(time.Minute)), at: i.at, layout: l,
		types: map[uint64]string{}, codes: map[uint64]*code{}}
	threads, err := r.Threads()
	if err != nil {
		return 0, err
	}
	r.Number(threads, map[int]bool{1: true})
	for k := range threads[:min(len(threads), 2)] {
		s, failed := r.Stack(&threads[k], func() string { return "" })
		frames, err = frames+len(s.Frames), failed
	}
	return frames, err
}

// A description with any numbers is refused, or leads to stacks or errors: it never ends the probe. Those that are
// wrong in one number or two get furthest.
func TestHostileDescription(t *testing.T) {
	i := image(t)
	if n, err := i.readAs(describe()); n != 2 || err != nil {
		t.Fatalf("%d frames as it is described: %v", n, err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var at []int
	for k := range described / 8 {
		if _, is := numbers[k]; is {
			at = append(at, k)
		}
	}
	for _, k := range at { // each by itself, below and above the others
		for _, n := range []uint64{0, 1, 7, 8, 23, 24, 31, 39, 41, 4095} {
			head := describe()
			binary.LittleEndian.PutUint64(head[len(cookie)+8*k:], n)
			_, _ = i.readAs(head) // no panic
		}
	}
	for range 3000 {
		head := describe()
		for range 1 + random.IntN(3) {
			n := random.Uint64() >> (40 + random.IntN(24))
			binary.LittleEndian.PutUint64(head[len(cookie)+8*at[random.IntN(len(at))]:], n)
		}
		_, _ = i.readAs(head) // no panic
	}
}

func FuzzDescription(f *testing.F) {
	f.Add(uint16(65), uint64(8), uint16(69), uint64(4))
	f.Add(uint16(22), uint64(56), uint16(0), uint64(0x030e00f0))
	i := image(f)
	f.Fuzz(func(_ *testing.T, a uint16, x uint64, b uint16, y uint64) {
		head := describe()
		binary.LittleEndian.PutUint64(head[len(cookie)+8*int(a%100):], x)
		binary.LittleEndian.PutUint64(head[len(cookie)+8*int(b%100):], y)
		_, _ = i.readAs(head) // no panic
	})
}
