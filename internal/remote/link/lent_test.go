package link

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Slices are those of a bufio.Reader however they are cut into reads, and a reader that waits holds no buffer.
func TestLentReader(t *testing.T) {
	text := "a\n\nbc\n" + strings.Repeat("x", 3*wire.ReadSize) + "\nd\nrest"
	for name, from := range map[string]io.Reader{
		"at once": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text)),
		"by halves": iotest.HalfReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		t.Run(name, func(t *testing.T) {
			r, usual := &lentReader{from: from}, bufio.NewReaderSize(strings.NewReader(text), wire.ReadSize)
			for err := error(nil); err == nil || errors.Is(err, bufio.ErrBufferFull); {
				var want, got []byte
				var same error
				want, same = usual.ReadSlice('\n')
				if got, err = r.ReadSlice('\n'); string(got) != string(want) || !errors.Is(err, same) {
					t.Fatalf("%.10q, %v; want %.10q, %v", got, err, want, same)
				}
			}
			if rest, err := r.ReadSlice('\n'); len(rest) > 0 || !errors.Is(err, io.EOF) || r.lent != nil {
				t.Errorf("after the end: %.10q, %v, and a buffer: %v", rest, err, r.lent != nil)
			}
		})
	}
}
