package palette

import (
	"slices"
	"strconv"
	"strings"
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

// A name that begins with the text is first, then a name with such a word, then a name with the text inside a word; of
// equally near ones, the one that is possible now. Characters that are apart count only if nothing else matches.
func TestTheNearestIsFirst(t *testing.T) {
	of := &Source{Finds: true, There: func(*part.Scene) []*Item { return nil }, Here: func(*part.Scene) []Item {
		return []Item{{Text: "redraw the screen", Do: 1}, {Text: "see the record", Do: 1}, {Text: "prerecorded", Do: 1},
			{Text: "record to a tape", Do: 1, Not: "no tape"}, {Text: "Record to a file", Do: 1}}
	}}
	p := &Page{}
	p.Open(of)
	for text, want := range map[string][]string{
		"rec":   {"Record to a file", "record to a tape", "see the record", "prerecorded"},
		"rdrws": {"redraw the screen"},
	} {
		p.line = footer.NewInputLine(text, longest)
		var got []string
		for _, it := range p.shownItems(&part.Scene{Snap: &cluster.Snapshot{}, Memory: &part.Memory{}}).items {
			got = append(got, it.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// The class of an item for a search, and that the legend comes last.
func TestRank(t *testing.T) {
	for _, test := range []struct {
		search string
		it     Item
		want   class
	}{
		{"free", Item{Text: "cluster: free GPUs"}, whole},
		{"free", Item{Text: "cluster", Also: "room, free"}, exact},
		{"free", Item{Text: "cluster", Also: "free gpus"}, whole},
		{"fr", Item{Text: "cluster: free GPUs"}, begun},
		{"gpus free", Item{Text: "cluster: free GPUs"}, whole},
		{"free room", Item{Text: "free GPUs", Also: "room"}, nowhere},
		{"free room", Item{Group: "look", Text: "free GPUs", Also: "room"}, noted},
		{"free", Item{Group: "look", Text: "cluster", Note: "free GPUs"}, noted},
		{"free", Item{Text: "cluster", Note: "a thing's note: free"}, nowhere},
		{"ree", Item{Text: "cluster: free GPUs"}, inside},
		{"n03", Item{Text: "node gpu-n03"}, whole},
		{"48377", Item{Text: "job 48377_2"}, begun},
		{"é", Item{Text: "café"}, inside},
	} {
		r := searchTexts([]*Item{&test.it})[0].rankOf(strings.Fields(test.search))
		if test.it.Do = "x"; r.class != test.want {
			t.Errorf("%q in %+v: class %d, want %d", test.search, test.it, r.class, test.want)
		}
	}
	legend, action := Item{Text: "free"}, Item{Text: "is a bit freer", Do: "x"}
	ranked := (&Page{}).rankItems([]string{"free"}, searchTexts([]*Item{&legend, &action}))
	if len(ranked) != 2 || ranked[0].Item != &action {
		t.Errorf("the legend is not last: %+v", ranked)
	}
}

// A search is tried in other words: without fillers and amounts.
func TestWordings(t *testing.T) {
	for text, want := range map[string][][]string{
		"log":               {{"log"}},
		"Log of 48377_2":    {{"log", "of", "48377_2"}, {"log", "48377_2"}},
		"5 minutes ago":     {{"5", "minutes", "ago"}, {"minutes", "ago"}},
		"the log of 48377 ": {{"the", "log", "of", "48377"}, {"log", "48377"}},
		"of the":            {{"of", "the"}},
		"11":                {{"11"}},
		" ":                 nil,
	} {
		got := wordings(text)
		if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
