package nccl

import "testing"

// A rank that has moved, initialized or left between two answers differs, unless only operations count.
func TestDiffering(t *testing.T) {
	here := GPU{Host: "n1", Index: 1}
	before := Rank{GPU: here, Rank: 3, Counts: []uint64{7}}
	for name, tc := range map[string]struct {
		change func(*Rank)
		state  bool // it differs if states count
		always bool
	}{
		"as before":   {func(*Rank) {}, false, false},
		"initialized": {func(r *Rank) { r.Init = InProgress }, true, false},
		"left":        {func(r *Rank) { r.Leaves = true }, true, false},
		"moved":       {func(r *Rank) { r.Index = 2 }, true, false},
		"launched":    {func(r *Rank) { r.Counts = []uint64{8} }, true, true},
		"another one": {func(r *Rank) { r.Rank = 4; r.Leaves = true }, false, false},
	} {
		for _, launches := range []bool{false, true} {
			now := before
			tc.change(&now)
			changed := map[GPU]bool{}
			(&Comm{Ranks: []Rank{now}}).addDiffering(&Comm{Ranks: []Rank{before}}, []string{"AllReduce"},
				[]string{"AllReduce"}, launches, changed)
			if want := tc.always || tc.state && !launches; changed[now.GPU] != want {
				t.Errorf("%s, only operations %t: %v, want %t", name, launches, changed, want)
			}
		}
	}
}
