package text

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCapture(t *testing.T) {
	full := errors.New("full")
	for name, write := range map[string]func(*Capture, string) error{
		"written": func(c *Capture, s string) error { _, err := io.WriteString(c, s); return err },
		"copied":  func(c *Capture, s string) error { _, err := io.Copy(c, strings.NewReader(s)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			c := &Capture{Limit: 5}
			for _, s := range []string{"abc", "defg", "hi"} {
				if err := write(c, s); err != nil {
					t.Error(err)
				}
			}
			if c.String() != "abcde" || string(c.Bytes()) != "abcde" {
				t.Errorf("kept %q", c)
			}
			c = &Capture{Limit: 5, Full: full}
			if err := write(c, "abcde"); err != nil {
				t.Errorf("as much as there is room for: %v", err)
			}
			if err := write(c, "f"); !errors.Is(err, full) || c.String() != "abcde" {
				t.Errorf("one more: %v, kept %q", err, c)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	calls := 0
	c := &Capture{Limit: 2}
	c.Guard(10, func() { calls++ })
	for i := range 5 {
		if _, err := c.Write([]byte("abcd")); err != nil {
			t.Error(err)
		}
		if want := min(i/2, 1); calls != want {
			t.Errorf("%d calls after %d bytes, want %d", calls, 4*(i+1), want)
		}
	}
	if c.String() != "ab" {
		t.Errorf("kept %q", c)
	}
}

func TestCut(t *testing.T) {
	for limit := range 12 {
		if got := Cut("aé中b🎉", limit); !utf8.ValidString(got) || len(got) > limit || !strings.HasPrefix("aé中b🎉", got) {
			t.Errorf("%d bytes: %q", limit, got)
		}
	}
	if got := Cut("aé", 3); got != "aé" {
		t.Errorf("what fits became %q", got)
	}
}

func TestFirstLine(t *testing.T) {
	if FirstLine("a\nb") != "a" || FirstLine("a") != "a" || FirstLine("\nb") != "" {
		t.Error("the first line is another")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"util", "user", "poll.interval", "power"}
	for s, want := range map[string]string{"utl": "util", "usr": "user", "interval": "poll.interval", "pow": "power",
		"util": "util"} {
		if near, far := Nearest(s, names); near != want || far > 1 || (far == 0) != (s == want) {
			t.Errorf("%q is %d from %q, want %q", s, far, near, want)
		}
	}
	if _, far := Nearest("xyz", nil); far < 100 {
		t.Errorf("%d from nothing", far)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"view", "viwe", 1}, {"view", "weiv", 3}, {"theme", "theme", 0}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
