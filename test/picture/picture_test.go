package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// screen is a terminal that shows a text.
func screen(t *testing.T, text string) Screen {
	t.Helper()
	e := vt.NewEmulator(20, 3)
	if _, err := e.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return e
}

// The picture is XML, has the text of its frames, and its colors; blocks are shapes; the same row is drawn once.
func TestSVG(t *testing.T) {
	first := Of(screen(t, "a <b> & \"c\"\r\n\x1b[1;38;2;1;2;3mbold\x1b[m ▃█⣿─\r\n\x1b[7mtail\x1b[m"))
	second := Of(screen(t, "other\r\n\x1b[1;38;2;1;2;3mbold\x1b[m ▃█⣿─"))
	first.Caption, first.For, second.For = "keys", time.Second, 3*time.Second
	svg := SVG("title", first, second)
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if want := Text(first, second); TextIn(svg) != want || !strings.HasPrefix(want, "== keys\na <b> & \"c\"\nbold ▃█⣿─\ntail\n") {
		t.Errorf("the text is %q, want %q", TextIn(svg), want)
	}
	for part, count := range map[string]int{"fill:#010203;font-weight:bold": 1, ">bold</text>": 1, "▃": 2, "█": 2,
		"25%{visibility:visible}": 1, "4s step-end infinite": 2, "prefers-reduced-motion": 1, ">keys</text>": 1} {
		if n := bytes.Count(svg, []byte(part)); n != count {
			t.Errorf("%q is there %d times, want %d, in\n%s", part, n, count, svg)
		}
	}
	if still := SVG("title", first); bytes.Contains(still, []byte("animation")) || TextIn([]byte("no picture")) != "" {
		t.Error("a still moves, or something that is no picture has a text")
	}
}
