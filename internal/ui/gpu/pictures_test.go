package gpu_test

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/gpu"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var gpus = uitest.Album[*gpu.Page]{
	ID: keys.OnGPU, Number: keys.ToGPU, Out: keys.ToOverview.Help().Desc,
	New: func() *gpu.Page { return &gpu.Page{} },
	Shots: []uitest.Shot[*gpu.Page]{
		{Name: "gpu", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.Fixture, "gpu-n02", 1)},
		{Name: "gpu-gone", Odd: true, Snap: uitest.Fixture,
			Begin: func(p *gpu.Page, _ *part.Scene) { p.Arrive(nil, nav.Go{Node: "gpu-n01", GPU: "GPU-gone"}) }},
		{Name: "marks-gpu", Snap: uitest.MarksFixture, Node: "gpu-n02", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.MarksFixture, "gpu-n02", 1)},
		{Name: "gpu-throttled", Dark: true, Snap: uitest.Fixture, Node: "gpu-n01"},
		{Name: "gpu-old", Snap: uitest.OldFixture, Node: "gpu-n02", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.OldFixture, "gpu-n02", 3)},
		{Name: "gpu-lost", Dark: true, Snap: uitest.StatesFixture, Node: "gpu-n01", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.StatesFixture, "gpu-n01", 2)},
		{Name: "gpu-mig", Snap: uitest.MigFixture, Node: "gpu-n01", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.MigFixture, "gpu-n01", 0)},
		{Name: "gpu-instance", Snap: uitest.MigFixture, Node: "gpu-n01",
			Begin: func(p *gpu.Page, _ *part.Scene) { p.Arrive(nil, nav.Go{Node: "gpu-n01", GPU: "MIG-1"}) }},
		{Name: "past-gpu", Dark: true, Snap: uitest.PastFixture, Node: "gpu-n04", Out: keys.ToNode.Help().Desc,
			Begin: shows(uitest.PastFixture, "gpu-n04", 5)},
		{Name: "bare-gpu", Odd: true, Snap: uitest.BareFixture},
		{Name: "odd-gpu", Odd: true, Snap: uitest.OddFixture},
		{Name: "wide-gpu", Odd: true, Snap: uitest.WideFixture},
	},
}

// shows opens the page of the GPU with that number.
func shows(snap func() *cluster.Snapshot, node string, number int) func(*gpu.Page, *part.Scene) {
	return func(p *gpu.Page, _ *part.Scene) {
		p.Arrive(nil, nav.Go{Node: node, GPU: uitest.KeyOf(snap, node, number)})
	}
}

func pictures() []uitest.Picture { return gpus.Pictures() }

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, uitest.Frames(pictures()))
}

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
	gpus.CheckUnchanged(t)
}
