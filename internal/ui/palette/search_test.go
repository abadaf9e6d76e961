package palette

import (
	"slices"
	"strconv"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// What is found stays found from Snapshot to Snapshot while all items are the same, and no longer.
func TestFoundIsNeverOld(t *testing.T) {
	here, there := []Item{{Group: "act", Text: "sort", Key: "s"}}, []int{11, 12, 13}
	of := &Source{Here: func(*part.Scene) []Item { return slices.Clone(here) }, Finds: true,
		There: func(*part.Scene) (list []*Item) {
			for rank, pid := range there {
				list = append(list, &Item{Text: "rank " + strconv.Itoa(rank),
					Go: nav.Go{Process: &nav.Process{ProcessID: wire.ProcessID{PID: pid}}}})
			}
			return list
		}}
	p := &Page{}
	p.Open(of)
	s := &part.Scene{Memory: &part.Memory{}, Size: part.Size{W: 80, H: 24}}
	found := func(text string) shownItems {
		s.Snap = &cluster.Snapshot{}
		p.line = footer.NewInputLine(text, longest)
		return p.shownItems(s)
	}
	if first, again := found("rank"), found("rank"); len(first.items) != 3 || first.items[0] != again.items[0] {
		t.Errorf("%d are found, and searched again", len(first.items))
	}
	there[1] = 14
	if l := found("rank 1"); len(l.items) != 1 || l.items[0].Go.Process.PID != 14 {
		t.Errorf("of another process: %+v", l.items)
	}
	if there = there[:2]; len(found("rank").items) != 2 {
		t.Error("one that is gone is found")
	}
	here[0].Not = "no job runs"
	if l := found("sort"); len(l.items) != 1 || l.items[0].Not == "" {
		t.Errorf("what is not possible any more is: %+v", l.items[0])
	}
}

// A name that begins with the text is first, then a name with such a word, then a name with the characters apart; of
// equally near ones, the one that is possible now.
func TestTheNearestIsFirst(t *testing.T) {
	of := &Source{Finds: true, There: func(*part.Scene) []*Item { return nil }, Here: func(*part.Scene) []Item {
		return []Item{{Text: "redraw the screen"}, {Text: "see the record"}, {Text: "prerecorded"},
			{Text: "record to a tape", Not: "no tape"}, {Text: "Record to a file"}}
	}}
	p := &Page{}
	p.Open(of)
	p.line = footer.NewInputLine("rec", longest)
	var got []string
	for _, it := range p.shownItems(&part.Scene{Snap: &cluster.Snapshot{}, Memory: &part.Memory{}}).items {
		got = append(got, it.Text)
	}
	want := []string{"Record to a file", "record to a tape", "see the record", "prerecorded", "redraw the screen"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
