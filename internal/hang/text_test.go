package hang

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// Two groups part where their lines or functions begin to differ, from the outermost frame on.
func TestDiff(t *testing.T) {
	own := func(function string, line int) rankstacks.Frame {
		return rankstacks.Frame{Function: function, File: "/home/a/train.py", Line: line}
	}
	computes := rankstacks.Group{Members: "ranks 0, 1", Frames: []rankstacks.Frame{own("crunch", 3), own("main", 50),
		own("<module>", 9)}}
	loads := rankstacks.Group{Members: "rank 2", Frames: []rankstacks.Frame{own("select", 415),
		own("_try_get_data", 1144), own("main", 198), own("<module>", 9)}}
	p := DiffGroups(&computes, &loads)
	names := func(frames []rankstacks.Frame) (s string) {
		for _, f := range frames {
			s += f.Function + " "
		}
		return s
	}
	if names(p.Common) != "<module> main " || names(p.A) != "crunch " || names(p.B) != "_try_get_data select " ||
		len(p.Common[1].Lines) != 2 || len(p.Common[0].Lines) != 0 {
		t.Errorf("%+v", p)
	}
	if len(computes.Frames[1].Lines) != 0 {
		t.Errorf("the group has changed: %+v", computes)
	}
}

// The text of a document has its state, each group and each reason.
func TestText(t *testing.T) {
	d := &rankstacks.Verdict{Job: "7", State: rankstacks.Stuck, Said: []string{"Rank 3 is in load."},
		Groups: []rankstacks.Group{{Summary: "load  data.py:5", Members: "rank 3 · n1 GPU3",
			Ranks:  []rankstacks.Rank{{Rank: new(3), Node: "n1", GPUs: []int{3}, PID: 103}},
			Frames: []rankstacks.Frame{{Function: "load", File: "/home/a/data.py", Line: 5}}}},
		Refused: []rankstacks.Refusal{{ID: "ptrace", Cause: "not permitted", Hint: "set it to 0", Members: "rank 4"}}}
	for detail, want := range map[TextDetail]string{
		BriefText: "Job 7 at 0001-01-01 00:00:00: stuck\nRank 3 is in load.\n     1 rank   load  data.py:5\n" +
			"               rank 3 · n1 GPU3\nnot read, rank 4: not permitted\n  set it to 0\n",
		FullText: "Job 7 at 0001-01-01 00:00:00: stuck\nRank 3 is in load.\n\n1 of the job's processes: load  data.py:5\n" +
			"  n1  rank 3  GPU3  PID 103\n    load  /home/a/data.py:5\nnot read, rank 4: not permitted\n  set it to 0\n",
	} {
		if got := VerdictText(d, detail); got != want {
			t.Errorf("%v: %q, want %q", detail, got, want)
		}
	}
}

// A rank that the kernel alone tells of stands in its group, with the reason, and nowhere else.
func TestEachRankStandsOnce(t *testing.T) {
	group := func(rank int) rankstacks.Group {
		return rankstacks.Group{Summary: "waits in futex_wait", Members: "rank", Vague: true, Cause: "not permitted",
			Hint: "set it to 0", Ranks: []rankstacks.Rank{{Rank: &rank, Node: "n1", PID: 103}}}
	}
	refused := rankstacks.Refusal{ID: "ptrace", Cause: "not permitted", Hint: "set it to 0", Grouped: true}
	d := &rankstacks.Verdict{Groups: []rankstacks.Group{group(3), group(4)}, Refused: []rankstacks.Refusal{refused}}
	for _, detail := range []TextDetail{BriefText, FullText} {
		text := VerdictText(d, detail)
		if n := strings.Count(text, "not read: not permitted\n"); n != 2 || strings.Contains(text, "not read,") {
			t.Errorf("%v: the reason stands %d times in the groups: %q", detail, n, text)
		}
	}
	if d.Refused[0].Grouped = false; len(Ungrouped(d)) != 1 {
		t.Error("a rank that is in no group is left out")
	}
}
