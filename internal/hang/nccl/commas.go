package nccl

import (
	"bufio"
)

// commaInserter adds a missing comma between a value and the name after it: NCCL 2.28.7 to 2.28.9 write none before the
// status of a missing rank. It leaves correct JSON unchanged.
type commaInserter struct {
	from *bufio.Reader

	text, escaped bool // inside a text; after a backslash in it
	ended         bool // the last byte outside texts, spaces aside, ended a value
}

func (c *commaInserter) Read(to []byte) (n int, err error) {
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
			break // this may be all for now
		}
	}
	return n, nil
}

// passByte takes a byte of the document.
func (c *commaInserter) passByte(b byte) {
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
