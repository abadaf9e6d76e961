package progress

import (
	"bytes"
	"strings"
)

const (
	// maxLine is how much of a line is read. The rest of a longer line is left out.
	maxLine = 4 << 10
	// maxEscape is the length of an escape sequence; what is longer is text.
	maxEscape = 256
)

// splitter cuts the bytes of a log into lines. A carriage return or a backspace ends a line too: what follows is the
// next state of a progress bar. Escape sequences and zero bytes are left out.
type splitter struct {
	text    []byte // of the line that has no end yet; at most maxLine
	isCut   bool   // the begin of the line is missing: it is left out
	isBelow bool   // the cursor went up after the text: this bar is below another one
	lastLen int    // of the line before

	escape  escapeState
	escaped int // bytes of the escape sequence so far
}

// escapeState is where in an escape sequence a splitter is.
type escapeState uint8

const (
	noEscape escapeState = iota
	begun                // after ESC
	control              // ESC [
	title                // ESC ], up to a bell or ESC \
	titleEnd             // ESC within a title
)

// split calls take for each line that ends in data. The text is valid only during the call.
func (s *splitter) split(data []byte, take func(text []byte, isBelow bool)) {
	for len(data) > 0 {
		if s.escape != noEscape {
			if s.isInEscape(data[0]) {
				data = data[1:]
			}
			continue
		}
		n := 0
		for n < len(data) && (data[n] >= ' ' || data[n] == '\t') {
			n++
		}
		s.add(data[:n])
		if data = data[n:]; len(data) == 0 {
			return
		}
		switch data[0] {
		case 0x1b:
			s.escape, s.escaped = begun, 0
		case '\n', '\r', '\b':
			s.end(take)
		}
		data = data[1:]
	}
}

func (s *splitter) add(text []byte) {
	s.text = append(s.text, text[:min(len(text), maxLine-len(s.text))]...)
}

func (s *splitter) end(take func([]byte, bool)) {
	if len(s.text) == 0 || s.isCut {
		s.text, s.isBelow, s.isCut = s.text[:0], false, false
		return
	}
	take(s.text, s.isBelow)
	s.lastLen = len(s.text)
	s.text, s.isBelow = s.text[:0], false
}

// isInEscape reports whether the next byte belongs to the escape sequence.
func (s *splitter) isInEscape(c byte) bool {
	if s.escaped++; s.escaped > maxEscape || c == '\n' || c == '\r' {
		s.escape = noEscape
		return false
	}
	switch s.escape {
	case begun:
		s.escape = map[byte]escapeState{'[': control, ']': title}[c]
	case control:
		if c >= '@' && c <= '~' {
			s.escape = noEscape
			s.isBelow = s.isBelow || (c == 'A' || c == 'F') && len(bytes.TrimSpace(s.text)) > 0
		}
	case title:
		switch c {
		case 0x07:
			s.escape = noEscape
		case 0x1b:
			s.escape = titleEnd
		}
	case titleEnd:
		s.escape = noEscape
	}
	return true
}

// whole returns the line that has no end yet, if it is whole: a bar that is drawn again ends with a bracket or spaces,
// or is as long as its state before. Any other text may be cut within a number.
func (s *splitter) whole() []byte {
	if n := len(s.text); n > 0 && !s.isCut && (n == s.lastLen || strings.IndexByte("]) ", s.text[n-1]) >= 0) {
		return s.text
	}
	return nil
}
