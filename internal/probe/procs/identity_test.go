package procs

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"usual", []string{"python3", "-m", "x"}, "python3 -m x"},
		{"none", nil, ""},
		{"padded with NULs, as a renamed process", []string{"nginx: worker", "", "", ""}, "nginx: worker"},
		{"not UTF-8", []string{"a\xffb"}, "a?b"},
		{"long", []string{strings.Repeat("x", 2000)}, strings.Repeat("x", wire.MaxCommand)},
		{"cut within a character", []string{"x" + strings.Repeat("é", 2000)},
			"x" + strings.Repeat("é", (wire.MaxCommand-1)/2)},
	} {
		if got := CommandLine(tc.args); got != tc.want {
			t.Errorf("%s: got %q", tc.name, got)
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	f.Add("python3\x00train.py\x00")
	f.Fuzz(func(t *testing.T, raw string) {
		got := CommandLine(strings.Split(raw, "\x00"))
		if len(got) > wire.MaxCommand || !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Errorf("%q gives %q", raw, got)
		}
	})
}
