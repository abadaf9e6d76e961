package install

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseNeed(t *testing.T) {
	for text, want := range map[string]nodeReply{
		"mkdir: no\nnvnodetop-need/1: Linux x86_64 1000 home:nowrite run:absent shm:ok\n": {machine: "Linux x86_64",
			uid: "1000", place: "shm", refused: []Refusal{{homeDirectory, NoWrite}, {runtimeDirectory, Absent}}},
		"no newline nvnodetop-need/1: Linux aarch64 7": {machine: "Linux aarch64", uid: "7"},
	} {
		if got, ok := parseNeed(text); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nvnodetop-need/1:", "nvnodetop-need/1: Linux x86_64",
		"nvnodetop-need/1: Linux x86_64 1000 home"} {
		if got, ok := parseNeed(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzParseNeed(f *testing.F) {
	f.Add("noise\nnvnodetop-need/1: Linux x86_64 1000 home:nowrite run:absent shm:ok\n")
	f.Add("nvnodetop-need/1: a b c :ok")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parseNeed(text)
		if ok != (n.machine != "") {
			t.Errorf("%q: %+v %v", text, n, ok)
		}
		if rest := WithoutMarks(text); strings.Contains(rest, needMark) || len(rest) > len(text) {
			t.Errorf("%q leaves %q", text, rest)
		}
	})
}
