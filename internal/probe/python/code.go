package python

import (
	"bytes"
	"encoding/binary"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// code is the code object of a function.
type code struct {
	name, file string
	first      int
	table      []byte // table of line numbers; nil: not read
	internal   bool   // a part of the interpreter, which has no lines: it calls __init__ of new objects

	parts []memory.Piece // everything that was read of it
}

const (
	// maxTable limits the table of line numbers: it is enough for a function with tens of thousands of lines.
	maxTable = 256 << 10
	// maxText is the largest plausible length of a text.
	maxText = 1 << 30
	// typeName is the offset of a type's name, in all versions.
	typeName = 24
)

func (r *Runtime) readCode(at uint64) (*code, error) {
	l, c := &r.layout.code, &code{}
	head, err := r.readPart(c, at, int(r.layout.codeSpan()))
	if err != nil {
		return nil, err
	}
	if err := r.checkType(head, "code"); err != nil {
		return nil, err
	}
	c.first = int(int32(readWord(head, l.firstLine)))
	if c.name, err = r.readString(c, readWord(head, l.name), MaxFunction, false); err != nil {
		return nil, err
	}
	if c.file, err = r.readString(c, readWord(head, l.file), MaxFile, true); err != nil {
		return nil, err
	}
	table := readWord(head, l.table)
	if head, err = r.readPart(c, table, int(r.layout.bytes.data)); err != nil {
		return nil, err
	}
	if err := r.checkType(head, "bytes"); err != nil {
		return nil, err
	}
	if n := readWord(head, r.layout.bytes.size); n <= maxTable {
		c.table, err = r.readPart(c, table+r.layout.bytes.data, int(n))
		c.internal = r.layout.lines == locations && !c.hasLines()
	}
	return c, err
}

// readPart reads a part of a code object, and keeps it for a later comparison.
func (r *Runtime) readPart(c *code, at uint64, n int) ([]byte, error) {
	b, err := r.mem.Bytes(at, n)
	c.parts = append(c.parts, memory.Piece{At: at, To: b})
	return b, err
}

// confirmParts reads all parts again. It fails if one has changed.
func (c *code) confirmParts(mem *memory.Process) error {
	again := make([]memory.Piece, 0, len(c.parts))
	for _, p := range c.parts {
		if len(p.To) > 0 {
			again = append(again, memory.Piece{At: p.At, To: make([]byte, len(p.To))})
		}
	}
	if err := mem.Read(again...); err != nil {
		return err
	}
	i := 0
	for _, p := range c.parts {
		if len(p.To) == 0 {
			continue
		}
		if !bytes.Equal(p.To, again[i].To) {
			return errSense
		}
		i++
	}
	return nil
}

// checkType returns an error unless the object that begins with head has the type with this name.
func (r *Runtime) checkType(head []byte, name string) error {
	at := readWord(head, r.layout.typ)
	known, found := r.types[at]
	if !found {
		text, err := r.mem.Word(at + typeName)
		if err == nil {
			known, err = r.mem.Text(text, len("bytes")+1)
		}
		if err != nil {
			return err
		}
		if known == "code" || known == "str" || known == "bytes" {
			r.types[at] = known
		}
	}
	if known != name {
		return errSense
	}
	return nil
}

// readString reads a str, as at most most bytes of UTF-8. From a longer one it reads the beginning, or the end.
func (r *Runtime) readString(c *code, at uint64, most int, end bool) (string, error) {
	l := &r.layout.text
	head, err := r.readPart(c, at, int(l.ascii))
	if err != nil {
		return "", err
	}
	if err := r.checkType(head, "str"); err != nil {
		return "", err
	}
	length, state := readWord(head, l.length), binary.LittleEndian.Uint32(head[l.state:])
	width, compact, ascii := int(state>>2&7), state>>5&1 == 1, state>>6&1 == 1
	if length > maxText || !compact || width != 1 && width != 2 && width != 4 || ascii && width != 1 {
		return "", errSense
	}
	data := at + l.compact
	if ascii {
		data = at + l.ascii
	}
	n := min(int(length), most)
	if end {
		data += uint64((int(length) - n) * width)
	}
	raw, err := r.readPart(c, data, n*width)
	return decodeChars(raw, width, most, end), err
}

// decodeChars decodes characters of 1, 2 or 4 bytes, and cuts the text to most bytes: it drops the beginning if the end
// matters.
func decodeChars(raw []byte, width, most int, end bool) string {
	text := make([]rune, 0, len(raw)/width)
	size := 0
	for at := 0; at < len(raw); at += width {
		i := at
		if end {
			i = len(raw) - width - at
		}
		c := rune(raw[i])
		switch width {
		case 2:
			c = rune(binary.LittleEndian.Uint16(raw[i:]))
		case 4:
			c = rune(binary.LittleEndian.Uint32(raw[i:]))
		}
		if size += len(string(c)); size > most { // an invalid character is decoded as one that says so
			break
		}
		text = append(text, c)
	}
	if end {
		for i, k := 0, len(text)-1; i < k; i, k = i+1, k-1 {
			text[i], text[k] = text[k], text[i]
		}
	}
	return string(text)
}
