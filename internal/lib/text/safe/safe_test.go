package safe

import (
	"strings"
	"testing"
	"unsafe"
)

// Joiners are left out, and all other invisible characters are seen.
func TestJoiners(t *testing.T) {
	for s, want := range map[string]string{
		"می\u200cخواهم": "میخواهم", "👩\u200d👩\u200d👧 a": "👩👩👧 a", "क\u200d\u200dx": "कx",
		"\u200d": "?", "\u200cx": "?x", "a \u200d=1": "a ?=1", "a\u200b\u200d": "a??", "a\u202eb\u2066": "a?b?",
		"\x1b\u200d[2Jx\u200d\x1b[31m": "?[2Jx", "a\n\u200d": "a??",
	} {
		got := Line(s, 100)
		if got != want || Line(got, 100) != got {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// A thousand short names of a hostile file must not hold a thousand long ones in memory.
func TestACutLineDoesNotHoldTheRest(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, s := range []string{long, long + "é"} {
		if cut := Line(s, 100); len(cut) != 100 || unsafe.StringData(cut) == unsafe.StringData(s) {
			t.Errorf("%d bytes, a part of the long string: %t", len(cut), unsafe.StringData(cut) == unsafe.StringData(s))
		}
	}
}
