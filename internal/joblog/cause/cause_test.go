package cause

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var corpus = flag.String("tails", "testdata", "directory with tails of logs")

// tail is the end of a log, with the line that says why its job has failed.
type tail struct {
	name  string
	text  string // the sentence; "": there is none
	lines []string
	right int // negative: there is none
}

// tails reads the files of a directory. A tail begins with its name behind "===" and its sentence behind "---", "*"
// for any; the right line begins with "» ".
func tails(t testing.TB, dir string) (all []tail) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tails in %q: %v", dir, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq("\n"+string(data), "\n=== ") {
			head, rest, is := strings.Cut(part, "\n---")
			if !is {
				continue
			}
			text, rest, _ := strings.Cut(rest, "\n")
			c := tail{name: head, text: strings.TrimSpace(text), right: -1}
			c.lines = strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
			for i, line := range c.lines {
				if own, is := strings.CutPrefix(line, "» "); is {
					c.lines[i], c.right = own, i
				}
			}
			all = append(all, c)
		}
	}
	return all
}

// The first cause of each tail is found, and said in a sentence.
func TestTails(t *testing.T) {
	all := tails(t, *corpus)
	right := 0
	for _, c := range all {
		got, is := First(c.lines)
		if !is {
			got.At = -1
		}
		switch {
		case got.At != c.right:
			t.Errorf("%s: line %d, want %d: %s", c.name, got.At+1, c.right+1, got.Text)
			continue
		case got.Text != c.text && c.text != "*":
			t.Errorf("%s: \n  %s, want\n  %s", c.name, got.Text, c.text)
		}
		right++
	}
	t.Logf("score: the right line of %d of %d tails", right, len(all))
}
