package recording

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/source/recording/dense"
)

// coding reads rows of differences.
type coding interface {
	begin(text []byte) error
	row(n *numbers, r row, by []int64) // into by, which is all 0
	end() error
}

// codingOf returns the coding of a version, at the beginning of a frame.
func codingOf(version int, l *layout) coding {
	if version < 4 {
		return &older{kinds: dense.NewKinds(fewest + 1 + len(l.node) + len(l.gpu))}
	}
	return &vlq{}
}

// vlq is the coding that pack writes.
type vlq struct {
	text []byte
	bad  bool
}

var errPacked = errors.New("the packed numbers do not end where they should")

func (v *vlq) begin(text []byte) error {
	v.text, v.bad = text, false
	return nil
}

func (v *vlq) row(_ *numbers, _ row, by []int64) {
	row, rest, ended := bytes.Cut(v.text, []byte{';'})
	v.text, v.bad = rest, v.bad || !ended
	if len(row) == 0 {
		return
	}
	for i := range by {
		by[i], row = cutVLQ(row)
		v.bad = v.bad || row == nil
	}
	v.bad = v.bad || len(row) > 0
}

func (v *vlq) end() error {
	if v.bad || len(v.text) > 0 {
		return errPacked
	}
	return nil
}

// digits are the digits of base64. A number takes 5 bits of each, the lowest first; the sixth bit says that more digits
// follow. The lowest bit of the number is its sign.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func appendVLQ(to []byte, x int64) []byte {
	u := uint64(x)<<1 ^ uint64(x>>63)
	for ; u >= 32; u >>= 5 {
		to = append(to, digits[u&31|32])
	}
	return append(to, digits[u])
}

// cutVLQ cuts a number off a text. rest is nil if there is none.
func cutVLQ(text []byte) (x int64, rest []byte) {
	u := uint64(0)
	for i, shift := 0, 0; i < len(text) && shift < 64; i, shift = i+1, shift+5 {
		digit := strings.IndexByte(digits, text[i])
		if digit < 0 {
			break
		}
		if u |= uint64(digit&31) << shift; digit < 32 {
			return int64(u>>1) ^ -int64(u&1), text[i+1:]
		}
	}
	return 0, nil
}

// older is the coding before version 4. Its probabilities are those of one frame.
type older struct {
	in    dense.Decoder
	text  []byte
	kinds []dense.Kind
}

func (o *older) begin(text []byte) (err error) {
	if o.text, err = base64.RawStdEncoding.AppendDecode(o.text[:0], text); err != nil {
		return errLine
	}
	o.in.Begin(o.text)
	return nil
}

func (o *older) row(n *numbers, r row, by []int64) {
	n.older = resized(n.older, len(n.series))
	o.in.Get(&o.kinds[r.kind], n.older[r.at:r.at+r.width], by)
}

func (o *older) end() error { return o.in.End() }
