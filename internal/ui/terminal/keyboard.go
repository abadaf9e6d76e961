package terminal

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
)

// keyboard reads the input of the terminal. It passes everything on, but separates keys from pastes where the terminal
// does not:
//
//   - A bracketed paste without an end would take every key that follows. So it ends after silence, with the first byte
//     that comes then, and at Ctrl-C, which no terminal pastes.
//   - More text in one read than anybody can type is a paste without brackets, and gets brackets. Otherwise each of its
//     characters would be a key: the screen would answer keys that nobody has pressed, and do nothing else meanwhile.
//
// It is a file if the terminal is one, since Bubble Tea sets the modes of the file.
type keyboard struct {
	io.Reader
	now func() time.Time

	mu      sync.Mutex // protects the rest: after a stop, one reader may end while the next begins
	pasting bool       // a bracketed paste has no end yet
	last    time.Time  // time of the last read
	seen    []byte     // the last bytes, if they may be the beginning of a bracket
}

// console is a keyboard on a terminal.
type console struct {
	*os.File
	keys *keyboard
}

// Read implements io.Reader. In the background it leaves the input to the program that has the terminal: reading would
// stop this program again and again, even while it is trying to end.
func (c *console) Read(p []byte) (int, error) {
	if inBackground(c.Fd()) {
		time.Sleep(leaving)
		return 0, nil
	}
	return c.keys.Read(p)
}

const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
	interrupt   = 3 // Ctrl-C

	// silence ends a paste. A terminal sends a paste without a break, but a slow link may pause for a moment.
	silence = time.Second

	// leaving is the interval at which a read in the background checks again.
	leaving = 20 * time.Millisecond

	// flood is more text in one read than anybody can type. A held key repeats 30 times a second, and mouse sequences
	// have less text.
	flood = 256
)

// Keyboard returns the input for Bubble Tea.
func Keyboard(in io.Reader, now func() time.Time) io.Reader {
	k := &keyboard{Reader: in, now: now}
	if f, ok := in.(*os.File); ok {
		return &console{f, k}
	}
	return k
}

// brackets is the maximum number of bytes by which a read grows.
const brackets = 3 * (len(pasteBegins) + len(pasteEnds))

// Read implements io.Reader.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(p) <= brackets {
		return k.Reader.Read(p)
	}
	n, err := k.Reader.Read(p[:len(p)-brackets])
	if n <= 0 {
		return n, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.now()
	silent := at.Sub(k.last) >= silence
	k.last = at
	return copy(p, k.filterInput(bytes.Clone(p[:n]), silent)), err
}

// filterInput returns the input for Bubble Tea, given whether silence came before it.
func (k *keyboard) filterInput(text []byte, silent bool) (out []byte) {
	if k.pasting && silent {
		k.pasting = false
		out = append(out, pasteEnds...)
	}
	for len(text) > 0 {
		if !k.pasting {
			n := k.bracketEnd(text, pasteBegins)
			out = append(out, keysOf(text[:n])...)
			k.pasting, text = k.endsWithBracket(pasteBegins), text[n:]
			continue
		}
		n := k.bracketEnd(text, pasteEnds)
		if at := bytes.IndexByte(text[:n], interrupt); at >= 0 {
			out = append(append(out, text[:at]...), pasteEnds...)
			k.pasting, k.seen, text = false, nil, text[at:]
			continue
		}
		out = append(out, text[:n]...)
		k.pasting, text = !k.endsWithBracket(pasteEnds), text[n:]
	}
	return out
}

// bracketEnd returns the length of a text up to the end of a bracket, which may have begun before the text; the whole
// length if there is no bracket.
func (k *keyboard) bracketEnd(text []byte, bracket string) int {
	all := append(k.seen, text...)
	n := len(all)
	if at := bytes.Index(all, []byte(bracket)); at >= 0 {
		n = at + len(bracket)
	}
	before := len(k.seen)
	k.seen = bytes.Clone(all[max(n-len(bracket), 0):n])
	return n - before
}

// endsWithBracket reports whether the last bytes end with a bracket, and if so forgets them.
func (k *keyboard) endsWithBracket(bracket string) bool {
	if !bytes.HasSuffix(k.seen, []byte(bracket)) {
		return false
	}
	k.seen = nil
	return true
}

// keysOf returns keys unchanged. A flood becomes a paste without its control characters, followed by Ctrl-C if it
// contained one.
func keysOf(text []byte) []byte {
	bracket, ends := []byte(nil), []byte(pasteBegins)
	if body, found := bytes.CutSuffix(text, ends); found {
		text, bracket = body, ends
	}
	const perSequence = 16 // bytes: mouse sequences are shorter
	if len(text) < flood || bytes.Count(text, []byte{'\x1b'})*perSequence >= len(text) {
		return append(text, bracket...)
	}
	out := make([]byte, 0, len(text)+brackets)
	out = append(out, pasteBegins...)
	for _, b := range text {
		if b >= ' ' && b != 0x7f || b == '\n' || b == '\r' || b == '\t' {
			out = append(out, b)
		}
	}
	out = append(out, pasteEnds...)
	if bytes.IndexByte(text, interrupt) >= 0 {
		out = append(out, interrupt)
	}
	return append(out, bracket...)
}
