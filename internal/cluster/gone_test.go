package cluster

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A rank is gone only if a new list of the processes of its GPU says so.
func TestGone(t *testing.T) {
	at := func(sec float64) time.Time { return time.Unix(1e9, 0).Add(time.Duration(sec * float64(time.Second))) }
	rank := func(number int, listed time.Time) SeenRank {
		return SeenRank{Rank: wire.Rank{Rank: number, World: new(2)}, Job: "1", Key: "x", Began: at(-100), Seen: listed}
	}
	for name, tc := range map[string]struct {
		now      float64
		unlisted string
		want     int
	}{
		"one of two":                        {60, "", 1},
		"the last list is old":              {60 + KeepList.Seconds() + 1, "", 0},
		"the driver does not list that GPU": {60, "no permission", 0},
	} {
		runs := &Node{Name: "a", Listed: true, ListedAt: at(tc.now), Ranks: []SeenRank{rank(0, at(tc.now))}}
		ends := &Node{Name: "b", Listed: true, ListedAt: at(60), Ranks: []SeenRank{rank(1, at(0))}}
		p := Peers{At: at(tc.now), GPUs: []Peer{{pace.New("m"), runs, &GPU{GPU: &wire.GPU{}, Key: "x"}},
			{pace.New("m"), ends, &GPU{Key: "x", GPU: &wire.GPU{Unlisted: tc.unlisted}}}}}
		if got := p.Gone(&Job{ID: "1"}); len(got) != tc.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
