package trend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// asked are the samples of the test.
var asked = []Samples{
	{ID: metric.Util, Sum: metric.Lowest}, {Median: true}, {ID: metric.Temperature, Sum: metric.Highest},
	{Reasons: thermal}, {ID: metric.Power, Sum: metric.Add}, {ID: metric.Util, Sum: metric.Mean},
}

// The kept samples equal those of the histories, even if GPUs are late and send all at once, fail, come back, begin
// anew, and come and go.
func TestThePastIsThatOfTheHistories(t *testing.T) {
	const kept, shown = 60, 50
	r := rand.New(rand.NewPCG(1, 2))
	live := make([]cluster.GPU, 12)
	for i := range live {
		live[i].Card, live[i].Key = &wire.Card{}, string(rune('a'+i))
	}
	report := func(g *cluster.GPU, bin int64) { // a GPU has no power for a while
		values := map[metric.ID]float64{metric.Util: float64(r.IntN(101)), metric.Power: float64(r.IntN(700)),
			metric.Temperature: float64(30 + r.IntN(60)), metric.Throttle: float64(r.IntN(1 << 8))}
		if bin%90 < 30 && g == &live[7] {
			delete(values, metric.Power)
		}
		g.GPU = &wire.GPU{Values: metric.Make(values)}
		g.History.Add(bin, kept, func(id metric.ID) float64 { return g.Float(id) })
	}
	var past *Past
	works := 0
	for bin := int64(1000); bin < 1300; bin++ {
		for i := range live {
			g := &live[i]
			late := bin%60 < 20 && i == 3 // a GPU is silent for a while, and then sends everything
			switch {
			case late && bin%60 == 19:
				for missed := bin - 19; missed <= bin; missed++ {
					report(g, missed)
				}
			case late, i == 4 && bin > 1100 && bin < 1170: // a GPU fails
			case i == 5 && bin == 1200: // a GPU begins anew
				g.History = history.History{}
				report(g, bin)
			default:
				report(g, bin-int64(r.IntN(2)))
			}
		}
		var gpus []*cluster.GPU
		for i := range live {
			if g := live[i]; i != 6 || bin < 1250 { // a GPU goes
				g.History = g.History.Fork()
				gpus = append(gpus, &g)
			}
		}
		past = NewPast(gpus, past)
		works += len(past.kept)
		for _, of := range asked {
			want := of.Of(gpus, shown+edgeLag)[edgeLag:] // a sum also knows the bins before
			if got := past.Samples(of, shown); !slices.EqualFunc(got, want, alike) {
				t.Fatalf("bin %d, %+v:\n got %v\nwant %v", bin, of, got, want)
			}
		}
	}
	if works == 0 {
		t.Error("nothing is kept")
	}
}

func alike(a, b float32) bool { return a == b || a != a && b != b }

// The blocks of these GPUs are kept, with no samples of others.
func TestThePastIsKept(t *testing.T) {
	gpus := make([]*cluster.GPU, 4)
	for i := range gpus {
		gpus[i] = &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Key: string(rune('a' + i))}
		for bin := range int64(100) {
			gpus[i].History.Add(bin, 240, func(metric.ID) float64 { return 50 })
		}
	}
	past := NewPast(gpus, nil)
	past.Samples(asked[0], 100)
	if n := len(NewPast(gpus, past).kept); n != 100/blockBins {
		t.Errorf("%d blocks are kept", n)
	}
	if n := len(NewPast(gpus[1:], past).kept); n != 0 {
		t.Errorf("%d blocks of other GPUs", n)
	}
	if got := NewPast(nil, nil).Samples(asked[0], 3); len(got) != 3 || !alike(got[0], gap) {
		t.Errorf("no GPUs: %v", got)
	}
}
