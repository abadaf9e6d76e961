package link

import (
	"bufio"
	"io"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// buffers has the buffers of lentReaders.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, wire.ReadSize) }}

// lentReader is a bufio.Reader that has a buffer only while there is data in it. A thousand nodes share a few buffers:
// their sessions wait for reports most of the time.
type lentReader struct {
	from  io.Reader
	first [1]byte // for which it waits without a buffer
	held  bool    // first is the next byte of the buffer
	lent  *bufio.Reader
}

// ReadSlice does the same as that of bufio.Reader. The slice is valid until the next call.
func (r *lentReader) ReadSlice(delim byte) ([]byte, error) {
	if r.lent != nil && r.lent.Buffered() == 0 {
		r.lent.Reset(nil)
		buffers.Put(r.lent)
		r.lent = nil
	}
	if r.lent == nil {
		if _, err := io.ReadFull(r.from, r.first[:]); err != nil {
			return nil, err
		}
		r.held = true
		r.lent = buffers.Get().(*bufio.Reader)
		r.lent.Reset(r)
	}
	return r.lent.ReadSlice(delim)
}

// Read fills the buffer.
func (r *lentReader) Read(p []byte) (int, error) {
	if r.held {
		r.held = false
		return copy(p, r.first[:]), nil
	}
	return r.from.Read(p)
}
