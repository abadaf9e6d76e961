package overview_test

import (
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The large jobs take longer to make than to draw.
var (
	big      = sync.OnceValue(uitest.BigFixture)
	switched = sync.OnceValue(func() *cluster.Snapshot { return uitest.SwitchedFixture(1000) })
)

func many(nodes int) func() *cluster.Snapshot {
	return sync.OnceValue(func() *cluster.Snapshot { return uitest.ManyFixture(nodes) })
}

var overviews = uitest.Album[*overview.Page]{
	ID: keys.OnOverview, Number: keys.ToOverview,
	New: func() *overview.Page { return overview.New(&footer.History{}) },
	Shots: []uitest.Shot[*overview.Page]{
		{Name: "overview", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02"},
		{Name: "overview-worst", Snap: uitest.Fixture, Begin: func(p *overview.Page, _ *part.Scene) { p.Worst() }},
		{Name: "overview-power", Snap: uitest.Fixture, Node: "gpu-n02", Typed: "u"},
		{Name: "overview-clock", Snap: uitest.Fixture, Typed: "uu"},
		{Name: "overview-memory", Snap: uitest.Fixture, Typed: "uuu"},
		{Name: "overview-temperature", Snap: uitest.Fixture, Typed: "uuuu"},
		{Name: "heatmap-temperature", Snap: big, Typed: "uuuu"},
		{Name: "times", Dark: true, Snap: uitest.TroubledFixture, Node: "gpu-n02", Typed: "vv"},
		{Name: "times-64", Snap: big, Node: "gpu-n044", Typed: "v"},
		{Name: "times-power", Snap: uitest.TroubledFixture, Typed: "vvus"},
		{Name: "heatmap", Dark: true, Snap: big, Node: "gpu-n017"},
		{Name: "heatmap-200", Snap: many(200), Node: "gpu-n0017"},
		{Name: "heatmap-1000", Snap: many(1000), Node: "gpu-n0017"},
		{Name: "strips-1000", Dark: true, Snap: switched,
			Node: "gpu-n0530"},
		{Name: "overview-steps", Snap: uitest.StepsFixture},
		{Name: "controller-away", Snap: uitest.AwayFixture},
		{Name: "filter-prompt", Snap: uitest.Fixture, Typed: "/N0 2"},
		{Name: "filter-map", Snap: big, Typed: "/n03\r"},
		{Name: "filter-prompt-wrong", Snap: uitest.Fixture, Typed: "/n0\r/ utl<50 or x"},
		{Name: "filter-none", Snap: uitest.Fixture, Typed: "/gpu xyz\r"},
		{Name: "columns-overview", Snap: uitest.Fixture,
			Look: uitest.WithSpare(rows.ChosenColumns{
				Overview: "health,power_sum_watts,gpus,memory_used_sum_bytes,memory_bar"})},
		{Name: "past-overview", Dark: true, Snap: uitest.PastFixture, Node: "gpu-n04"},
		{Name: "past-times", Snap: uitest.PastFixture, Node: "gpu-n04", Typed: "vv"},
		{Name: "silence", Dark: true, Snap: uitest.SilenceFixture},
		{Name: "silence-map", Snap: uitest.SilenceFixture, Typed: "v"},
		{Name: "odd-overview", Odd: true, Snap: uitest.OddFixture},
		{Name: "odd-map", Odd: true, Snap: uitest.OddFixture,
			Begin: func(p *overview.Page, _ *part.Scene) { p.Grid = overview.GridMap }},
		{Name: "wide-overview", Odd: true, Snap: uitest.WideFixture},
		{Name: "bare-overview", Odd: true, Snap: uitest.BareFixture},
		{Name: "rows", Odd: true, Snap: big, Node: "gpu-n050",
			Begin: func(p *overview.Page, _ *part.Scene) { p.Grid = overview.GridRows }},
	},
}

func pictures() []uitest.Picture { return overviews.Pictures() }

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, uitest.Frames(pictures()))
}

// Each column that is shown only if it is chosen is in a frame, with a value.
func TestSpareColumns(t *testing.T) { overviews.CheckSpare(t, "columns-overview", rows.OverviewTable) }

func TestSweep(t *testing.T) {
	raced.Skip(t)
	uitest.Sweep(t, pictures())
}

func TestPictures(t *testing.T) {
	raced.Skip(t)
	uitest.Check(t, pictures())
}

func TestDrawingChangesNothing(t *testing.T) {
	raced.Skip(t)
	overviews.CheckUnchanged(t)
}
