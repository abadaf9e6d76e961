package trend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
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
	var seen [12]*cluster.GPU
	var reported [12]bool
	for i := range live {
		live[i].Card, live[i].GPU, live[i].Key = &wire.Card{}, &wire.GPU{}, string(rune('a'+i))
	}
	report := func(i int, bin int64) { // a GPU has no power for a while
		values := map[metric.ID]float64{metric.Util: float64(r.IntN(101)), metric.Power: float64(r.IntN(700)),
			metric.Temperature: float64(30 + r.IntN(60)), metric.Throttle: float64(r.IntN(1 << 8))}
		g := &live[i]
		if bin%90 < 30 && i == 7 {
			delete(values, metric.Power)
		}
		g.GPU, reported[i] = &wire.GPU{Values: metric.Make(values)}, true
		g.History.Add(bin, kept, func(id metric.ID) float64 { return g.Float(id) })
	}
	var past *Past
	works := 0
	for bin := int64(1000); bin < 1300; bin++ {
		for i := range live {
			late := bin%60 < 20 && i == 3 // a GPU is silent for a while, and then sends everything
			switch {
			case late && bin%60 == 19:
				for missed := bin - 19; missed <= bin; missed++ {
					report(i, missed)
				}
			case late, i == 4 && bin > 1100 && bin < 1170: // a GPU fails
			case i == 5 && bin == 1200: // a GPU begins anew
				live[i].History = history.History{}
				report(i, bin)
			default:
				if r.IntN(3) > 0 { // two reports in three Snapshots
					report(i, bin-int64(r.IntN(2)))
				}
			}
		}
		var gpus []*cluster.GPU
		for i := range live {
			if i == 6 && bin >= 1250 { // a GPU goes
				continue
			}
			if seen[i] == nil || reported[i] { // a GPU of a Snapshot never changes, and is replaced by its report
				g := live[i]
				g.History = g.History.Fork()
				seen[i] = &g
			}
			gpus, reported[i] = append(gpus, seen[i]), false
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
	if past = NewPast(gpus, past); len(past.kept) != 100/blockBins {
		t.Errorf("%d blocks are kept", len(past.kept))
	}
	if n := len(NewPast(gpus[1:], past).kept); n != 0 {
		t.Errorf("%d blocks of other GPUs", n)
	}
	other := *gpus[0]
	other.Key = "other"
	if n := len(NewPast([]*cluster.GPU{gpus[1], gpus[2], gpus[3], &other}, past).kept); n != 0 {
		t.Errorf("%d blocks with another GPU", n)
	}
	if got := NewPast(nil, nil).Samples(asked[0], 3); len(got) != 3 || !alike(got[0], gap) {
		t.Errorf("no GPUs: %v", got)
	}
}
