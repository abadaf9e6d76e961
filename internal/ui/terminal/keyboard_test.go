package terminal

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// typed are reads, each after some time.
type typed struct {
	reads []string
	gaps  map[int]time.Duration // before a read
	at    time.Time
	n     int
}

func (r *typed) Read(p []byte) (int, error) {
	if r.n == len(r.reads) {
		return 0, io.EOF
	}
	r.at = r.at.Add(r.gaps[r.n])
	n := copy(p, r.reads[r.n])
	if r.reads[r.n] = r.reads[r.n][n:]; r.reads[r.n] == "" {
		r.n++
	}
	return n, nil
}

// heardOf is what comes of it.
func heardOf(t *testing.T, gaps map[int]time.Duration, reads ...string) string {
	t.Helper()
	in := &typed{reads: reads, gaps: gaps, at: time.Unix(1_000_000, 0)}
	k := Keyboard(in, func() time.Time { return in.at })
	var out bytes.Buffer
	p := make([]byte, 4096)
	for {
		n, err := k.Read(p)
		out.Write(p[:n])
		if err != nil {
			return out.String()
		}
	}
}

const b, e = pasteBegins, pasteEnds

// A paste that has no end ends with the first key after a second, or with Ctrl-C; one that has an end stays as it is.
func TestPasteWithoutAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		reads []string
		after time.Duration // before the last read
		want  string
	}{
		"keys":                  {[]string{"q", "j"}, time.Minute, "qj"},
		"a paste":               {[]string{b + "text" + e, "q"}, time.Minute, b + "text" + e + "q"},
		"in pieces":             {[]string{b + "te", "xt" + e + "q"}, silence - 1, b + "text" + e + "q"},
		"brackets in pieces":    {[]string{"\x1b[20", "0~te", "xt\x1b[2", "01~", "q"}, silence, b + "text" + e + "q"},
		"no end":                {[]string{b + "text", "q"}, silence, b + "text" + e + "q"},
		"no end, keys at once":  {[]string{b + "text", "q"}, silence - 1, b + "textq"},
		"half an end":           {[]string{b + "text\x1b[201", "q"}, silence, b + "text\x1b[201" + e + "q"},
		"Ctrl-C":                {[]string{b + "text", "\x03"}, 0, b + "text" + e + "\x03"},
		"Ctrl-C in the middle":  {[]string{b + "te\x03xt", "q"}, 0, b + "te" + e + "\x03xtq"},
		"Ctrl-C after a paste":  {[]string{b + "text" + e + "\x03"}, 0, b + "text" + e + "\x03"},
		"two pastes":            {[]string{b + "a" + e + b + "b", "q"}, silence, b + "a" + e + b + "b" + e + "q"},
		"an Esc before a paste": {[]string{"\x1b", b + "a" + e}, 0, "\x1b" + b + "a" + e},
	} {
		if got := heardOf(t, map[int]time.Duration{len(c.reads) - 1: c.after}, c.reads...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// More text at once than anybody types is a paste; the keys and the mouse of a slow link are not.
func TestFlood(t *testing.T) {
	long := strings.Repeat("Ky\n", 1000)
	mouse := strings.Repeat("\x1b[<32;110;20M", 200)
	for name, c := range map[string]struct{ read, want string }{
		"some keys":           {strings.Repeat("j", flood-1), strings.Repeat("j", flood-1)},
		"text":                {long, b + long + e},
		"the mouse":           {mouse, mouse},
		"arrows":              {strings.Repeat("\x1b[A", 500), strings.Repeat("\x1b[A", 500)},
		"junk":                {long + "\x00\x01\x1b[6n\x7f", b + long + "[6n" + e},
		"Ctrl-C in the flood": {long + "\x03" + long[:300], b + long + long[:300] + e + "\x03"},
		"a paste":             {b + long + e, b + long + e},
		"a paste in a flood":  {long[:300] + b + "x" + e, b + long[:300] + e + b + "x" + e},
	} {
		if got := heardOf(t, nil, c.read); got != c.want {
			t.Errorf("%s: %.80q of %d bytes, want %.80q of %d", name, got, len(got), c.want, len(c.want))
		}
	}
	junk := strings.Repeat(long, 3000) // what is not a whole read at the end may be keys
	if got := heardOf(t, nil, junk, "q"); strings.Count(got, b) < 1000 || len(got) < len(junk) ||
		!strings.HasSuffix(got, "q") {
		t.Errorf("9 MB: %d bytes in %d pastes, at the end %q", len(got), strings.Count(got, b), got[len(got)-20:])
	}
}
