package stacks

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Where the looks do not agree, or a rank is not known, nothing is said against it.
func TestLag(t *testing.T) {
	const load, reduce, forward = "load", "all_reduce", "forward"
	looks := func(places ...[4]string) (list []*Observation) {
		for _, at := range places {
			l := &Observation{}
			for i, function := range at {
				r := Rank{Place: Place{Number: i, Node: "n1", GPUs: []int{i}}}
				if function != "" {
					r.Process = &wire.ProcessStacks{State: "S", Threads: []wire.ThreadStack{{Main: true, State: "S",
						Frames: []wire.Frame{{Function: function, File: "/x/train.py", Line: 1}}}}}
				}
				l.Ranks = append(l.Ranks, r)
			}
			list = append(list, l)
		}
		return list
	}
	waits, slow := [4]string{reduce, reduce, reduce, reduce}, [4]string{reduce, reduce, reduce, load}
	const unclear = "In 3 looks rank 3 (n1 GPU3) and the others are in different places: its stack does not tell why it lags."
	const hidden = "The stacks of most others are not known: where rank 3 (n1 GPU3) is does not tell why it lags."
	for name, c := range map[string]struct {
		looks []*Observation
		want  string
	}{
		"healthy: all in one place": {looks(waits, waits, waits),
			"Rank 3 (n1 GPU3) is in all_reduce in 3 of 3 looks, as the others: its stack does not tell why it lags."},
		"healthy: it moves":          {looks(slow, waits, slow), unclear},
		"healthy: the others move":   {looks(slow, slow, [4]string{forward, forward, forward, load}), unclear},
		"healthy: all are elsewhere": {looks([4]string{"a", "b", "c", load}, slow, slow), unclear},
		"healthy: no two others agree": {looks([4]string{"a", "b", "c", load}, [4]string{"a", "b", "c", load},
			[4]string{"a", "b", "c", load}), unclear},
		"two looks":     {looks(slow, slow), ""},
		"not read once": {looks(slow, [4]string{reduce, reduce, reduce, ""}, slow), ""},
		"slow in one place": {looks(slow, slow, slow),
			"Rank 3 (n1 GPU3) is in load in 3 of 3 looks, the others in all_reduce."},
		"slow, one other was not read": {looks(slow, [4]string{"", reduce, reduce, load}, slow),
			"Rank 3 (n1 GPU3) is in load in 3 of 3 looks, the others in all_reduce."},
		"slow, most others are unknown": {looks(slow, [4]string{"", "", reduce, load}, slow), hidden},
		"no other is known": {looks([4]string{"", "", "", load}, [4]string{"", "", "", load},
			[4]string{"", "", "", load}), hidden},
	} {
		if got := Lag(c.looks, "n1", 3); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for from, want := range []string{"", "Rank 3 (n1 GPU3) is in load in 3 of 3 looks, the others in all_reduce.",
		"Rank 3 (n1 GPU3) is in load in 3 of 3 looks, the others in all_reduce."} {
		few := looks(slow, slow, slow)
		for _, l := range few {
			l.Ranks = l.Ranks[from:]
		}
		if got := Lag(few, "n1", 3); want != "" && got != want {
			t.Errorf("of %d ranks: %q, want %q", 4-from, got, want)
		}
	}
	alone := looks(slow, slow, slow)
	for _, l := range alone {
		l.Ranks = l.Ranks[3:]
	}
	if got := Lag(alone, "n1", 3); got != "" {
		t.Errorf("the only rank: %q", got)
	}
	if got := Lag(looks(slow, slow, slow), "n2", 3); got != "" {
		t.Errorf("an unknown rank: %q", got)
	}
}
