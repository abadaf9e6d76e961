package dense

import (
	"errors"
	"slices"
	"testing"
)

// A row of 300, -70000, 0 and 1 was packed into these bytes. A text that is cut, or longer, has no end where it should.
func TestEnd(t *testing.T) {
	packed := []byte{0x3b, 0xe9, 0x96, 0xab, 0x78, 0x49, 0xbb}
	by, err := decode(packed, 4)
	if want := []int64{300, -70000, 0, 1}; err != nil || !slices.Equal(by, want) {
		t.Errorf("%d, %v; want %d", by, err, want)
	}
	for name, text := range map[string][]byte{"nothing": {}, "more": append(slices.Clip(packed), 1, 2, 3, 4, 5)} {
		if _, err := decode(text, 4); !errors.Is(err, ErrEnd) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func decode(text []byte, n int) ([]int64, error) {
	var d Decoder
	d.Begin(text)
	by := make([]int64, n)
	d.Get(&NewKinds(1)[0], make([]Slot, n), by)
	return by, d.End()
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte{}, 1)
	f.Add([]byte("hello, world"), 100)
	f.Fuzz(func(_ *testing.T, text []byte, n int) { _, _ = decode(text, n&1023) })
}
