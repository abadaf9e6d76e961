package nccl

import (
	"bufio"
)

// commas adds a comma that is missing between a value and the name after it: NCCL 2.28.7 to 2.28.9 write none before
// the status of a missing rank. Of JSON that is right nothing changes.
type commas struct {
	from *bufio.Reader

	text, escaped bool // within a text; after a backslash in it
	ended         bool // the last byte outside of texts, but for spaces, ended a value
}

func (c *commas) Read(to []byte) (n int, err error) {
	for n < len(to) {
		b, err := c.from.ReadByte()
		if err != nil {
			return n, err
		}
		if b == '"' && !c.text && c.ended {
			c.ended, b = false, ','
			if err := c.from.UnreadByte(); err != nil {
				return n, err
			}
		} else {
			c.passByte(b)
		}
		to[n] = b
		n++
		if c.from.Buffered() == 0 {
			break // what has come may be all for now
		}
	}
	return n, nil
}

// passByte takes a byte of the document.
func (c *commas) passByte(b byte) {
	switch {
	case c.escaped:
		c.escaped = false
	case c.text:
		c.escaped, c.text = b == '\\', b != '"'
		c.ended = b == '"'
	case b == '"':
		c.text = true
	case b == ' ' || b == '\n' || b == '\r' || b == '\t':
	default:
		c.ended = b != ',' && b != ':' && b != '{' && b != '['
	}
}
