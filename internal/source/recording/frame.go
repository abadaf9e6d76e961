package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// The skippable zstd frames of a recording: the first, one before each frame of Events, and the last.
const (
	magicHeader uint32 = 0x184D2A5A
	magicFrame  uint32 = 0x184D2A5B
	magicIndex  uint32 = 0x184D2A5C
)

const (
	headSize  = 8        // of a skippable frame: magic and length
	indexTail = 8        // the last bytes of the index, which say where it begins
	maxJSON   = 64 << 10 // of the header, and of a frame's beginning
	maxIndex  = 16 << 20
)

// Frame is a part of a recording that can be read without the earlier parts.
type Frame struct {
	At     time.Time `json:"at"`     // of its first Event
	Offset int64     `json:"offset"` // position in the file of the skippable frame before it
}

// index is the end of a complete recording.
type index struct {
	Frames []Frame   `json:"frames"`
	End    time.Time `json:"end"` // of the latest Event
	Events int64     `json:"events"`
}

func skippableFrame(magic uint32, body []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, magic)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	return append(out, body...)
}

func writeIndex(to *countingWriter, x *index) error {
	body, err := json.Marshal(x)
	if err != nil {
		return err
	}
	body = binary.LittleEndian.AppendUint64(body, uint64(to.n))
	_, err = to.Write(skippableFrame(magicIndex, body))
	return err
}

// readSkippable returns the body of a skippable frame, and the offset after it. io.ErrUnexpectedEOF: it is cut off.
func readSkippable(f io.ReaderAt, offset int64, magic uint32, most int64) (body []byte, next int64, err error) {
	var head [headSize]byte
	if _, err := f.ReadAt(head[:], offset); err != nil {
		return nil, 0, asUnexpectedEOF(err)
	}
	length := int64(binary.LittleEndian.Uint32(head[4:]))
	if binary.LittleEndian.Uint32(head[:]) != magic || length > most {
		return nil, 0, ErrNotRecording
	}
	body = make([]byte, length)
	if _, err := f.ReadAt(body, offset+headSize); err != nil && length > 0 {
		return nil, 0, asUnexpectedEOF(err)
	}
	return body, offset + headSize + length, nil
}

// asUnexpectedEOF turns an end of a file in the middle of something into io.ErrUnexpectedEOF.
func asUnexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readIndex returns the index, nil if the file has none.
func readIndex(f io.ReaderAt, size int64) *index {
	var tail [indexTail]byte
	if _, err := f.ReadAt(tail[:], max(size-indexTail, 0)); err != nil {
		return nil
	}
	at := binary.LittleEndian.Uint64(tail[:])
	if at > uint64(size) {
		return nil
	}
	body, end, err := readSkippable(f, int64(at), magicIndex, maxIndex)
	if err != nil || end != size || len(body) < indexTail {
		return nil
	}
	if bytes.Count(body, []byte{'{'}) > maxFrames {
		return nil
	}
	var x index
	if json.Unmarshal(body[:len(body)-indexTail], &x) != nil || !x.isValid(int64(at)) {
		return nil
	}
	return &x
}

// isValid reports whether the frames are all within the file, one after the other.
func (x *index) isValid(end int64) bool {
	last := int64(0)
	for _, f := range x.Frames {
		if f.Offset <= last || f.Offset >= end {
			return false
		}
		last = f.Offset
	}
	return true
}

// scanFrames finds all frames from offset on. The last one may be cut off.
func scanFrames(ctx context.Context, f io.ReaderAt, offset int64) (frames []Frame) {
	for len(frames) < maxFrames && ctx.Err() == nil {
		body, next, err := readSkippable(f, offset, magicFrame, maxJSON)
		var frame Frame
		if err != nil || json.Unmarshal(body, &frame) != nil {
			return frames
		}
		frame.Offset = offset
		frames = append(frames, frame)
		if offset, err = skipZstd(f, next); err != nil {
			return frames
		}
	}
	return frames
}

// skipZstd returns the offset after a zstd frame, without reading its blocks.
func skipZstd(f io.ReaderAt, offset int64) (int64, error) {
	var head zstd.Header
	text := make([]byte, zstd.HeaderMaxSize)
	n, _ := f.ReadAt(text, offset)
	if err := head.Decode(text[:n]); err != nil {
		return 0, err
	}
	if head.Skippable {
		return 0, errors.New("not a frame of events")
	}
	offset += int64(head.HeaderSize)
	for last := false; !last; {
		var block [3]byte
		if _, err := f.ReadAt(block[:], offset); err != nil {
			return 0, asUnexpectedEOF(err)
		}
		size := int64(block[0]) | int64(block[1])<<8 | int64(block[2])<<16
		last = size&1 != 0
		if kind := size >> 1 & 3; kind == 1 { // one byte, repeated
			size = 1
		} else {
			size >>= 3
		}
		offset += int64(len(block)) + size
	}
	if head.HasCheckSum {
		offset += 4
	}
	return offset, nil
}

// readHeader returns the header, and the offset after it.
func readHeader(f io.ReaderAt) (h Header, next int64, err error) {
	body, next, err := readSkippable(f, 0, magicHeader, maxJSON)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return h, 0, ErrNotRecording
	case err != nil:
		return h, 0, err
	}
	var version struct {
		Version int `json:"nvnodetop_recording"`
	}
	if err := json.Unmarshal(body, &version); err != nil || version.Version < 1 {
		return h, 0, ErrNotRecording
	}
	if version.Version != Version {
		return h, 0, &VersionError{version.Version}
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&h); err != nil {
		return h, 0, fmt.Errorf("its header cannot be read: %w", ErrNotRecording)
	}
	return h, next, nil
}
