package recording

import (
	"errors"
	"strings"
)

var errPacked = errors.New("the packed numbers do not end where they should")

// digits are the digits of base64. Each carries 5 bits of a number, lowest bits first; the sixth bit says that more
// digits follow. The lowest bit of the number is its sign.
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
