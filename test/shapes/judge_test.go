package shapes

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A finding counts as found only if it is true, of the right GPU, in time and severe enough. Any other alarm is false.
func TestJudge(t *testing.T) {
	slow := Shape{Want: []Want{slowed(1, 3, atOnce)}}
	node := Shape{Want: []Want{slowed(1, anywhere, atOnce)}}
	said := func(kind cluster.Kind, severity cluster.Severity, node string, gpu int, from time.Duration) Episode {
		f := cluster.Finding{Kind: kind, Severity: severity, Node: node, GPU: gpu}
		return Episode{Finding: f, From: from, To: from + 5*mins}
	}
	uneven := Shape{Name: RightNotes[cluster.KindLag][0]}
	healed := Shape{Want: slices.Clone(slow.Want)}
	healed.Want[0].Heals = onset + 5*mins
	places := said("lag", cluster.Warning, "", -1, onset+mins)
	places.Compared = &cluster.Comparison{Places: []cluster.Differing{{Node: "n01", Number: 2}, {Node: "n02", Number: 3}}}
	again := said("lag", cluster.Warning, "n02", 3, onset+mins)
	for name, tc := range map[string]struct {
		shape Shape
		said  []Episode
		want  string // found, late, missed, false
	}{
		"in time":             {slow, []Episode{said("lag", cluster.Warning, "n02", 3, onset+mins)}, "1 0 0 0"},
		"critical":            {slow, []Episode{said("lag", cluster.Critical, "n02", 3, onset+mins)}, "1 0 0 0"},
		"among others":        {slow, []Episode{places}, "1 0 0 0"},
		"late":                {slow, []Episode{said("lag", cluster.Warning, "n02", 3, onset+2*mins)}, "0 1 0 0"},
		"nothing":             {slow, nil, "0 0 1 0"},
		"only a note":         {slow, []Episode{said("lag", cluster.Note, "n02", 3, onset+mins)}, "0 0 1 0"},
		"before it is true":   {slow, []Episode{said("lag", cluster.Warning, "n02", 3, onset-6*mins)}, "0 0 1 1"},
		"too early, and on":   {slow, []Episode{said("lag", cluster.Warning, "n02", 3, onset-mins)}, "0 0 1 1"},
		"another GPU":         {slow, []Episode{said("lag", cluster.Warning, "n02", 4, onset+mins)}, "0 0 1 1"},
		"another node":        {slow, []Episode{said("lag", cluster.Warning, "n01", 3, onset+mins)}, "0 0 1 1"},
		"another kind":        {slow, []Episode{said("idle", cluster.Warning, "n02", 3, onset+mins)}, "0 0 1 1"},
		"only its node":       {slow, []Episode{said("lag", cluster.Warning, "n02", -1, onset+mins)}, "0 0 1 1"},
		"the node":            {node, []Episode{said("lag", cluster.Warning, "n02", -1, onset+mins)}, "1 0 0 0"},
		"a GPU of the node":   {node, []Episode{said("lag", cluster.Warning, "n02", 7, onset+mins)}, "1 0 0 0"},
		"well":                {Shape{}, nil, "0 0 0 0"},
		"well, with a note":   {Shape{}, []Episode{said("lag", cluster.Note, "n02", 3, mins)}, "0 0 0 1"},
		"well, and it waits":  {Shape{}, []Episode{said("lag", cluster.Waiting, "n02", 3, mins)}, "0 0 0 0"},
		"a right note":        {uneven, []Episode{said("lag", cluster.Note, "n02", 3, mins)}, "0 0 0 0"},
		"no right warning":    {uneven, []Episode{said("lag", cluster.Warning, "n02", 3, mins)}, "0 0 0 1"},
		"a false alarm":       {Shape{}, []Episode{said("lag", cluster.Warning, "n02", 3, mins)}, "0 0 0 1"},
		"allowed":             {Shape{Allowed: kinds("lag")}, []Episode{again}, "0 0 0 0"},
		"found, and repeated": {slow, []Episode{again, again}, "1 0 0 0"},
		"over in time":        {healed, []Episode{again}, "1 0 0 0"},
		"goes on":             {healed, []Episode{said("lag", cluster.Warning, "n02", 3, onset+85*sec)}, "1 0 0 1"},
	} {
		v := Judge(tc.shape, tc.said)
		if got := fmt.Sprint(v.Found, v.Late, v.Missed, len(v.False)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// Parts of a program begin and end when they should.
func TestPrograms(t *testing.T) {
	paused := pauses(during(span{10 * sec, 20 * sec}, span{50 * sec, 60 * sec}), spin, train).begin(nil)
	for at, spins := range map[time.Duration]bool{0: false, 9: false, 12: true, 19: true, 22: false, 55: true,
		62: false} {
		if got := paused(at*sec, 0) == spin; got != spins {
			t.Errorf("after %d s it spins: %v", at, got)
		}
	}
	turns := cycle(part{4 * sec, train}, part{2 * sec, spin}).begin(nil)
	for at, spins := range map[time.Duration]bool{0: false, 3: false, 5: true, 6: false, 11: true} {
		if got := turns(at*sec, 0) == spin; got != spins {
			t.Errorf("after %d s of a cycle it spins: %v", at, got)
		}
	}
	if got := averaged(sec, turns).begin(nil)(4500*time.Millisecond, 0).Power; got <= spin.Power || got >= train.Power {
		t.Errorf("%v W in a second of both", got)
	}
}
