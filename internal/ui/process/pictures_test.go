package process_test

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/process"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var processes = uitest.Album[*process.Page]{
	ID: keys.OnProcesses, Number: keys.ToProcesses, Out: keys.ToNode.Help().Desc,
	New: func() *process.Page { return newPage() },
	Shots: []uitest.Shot[*process.Page]{
		{Name: "processes-node", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "scj jj ki"},
		{Name: "environ", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "jejjjjjj",
			Told: uitest.Says(uitest.EnvironFixture)},
		{Name: "details", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "jvj",
			Told: uitest.Says(uitest.InspectedFixture)},
		{Name: "processes-gpu", Snap: uitest.Fixture, Node: "gpu-n02", Out: keys.ToGPU.Help().Desc,
			Begin: ofGPU},
		{Name: "processes-shared", Dark: true, Snap: uitest.Fixture, Job: "48377", Begin: ofNode, Typed: "ss"},
		{Name: "processes-job", Snap: uitest.RanksFixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob,
			Typed: "sg$"},
		{Name: "processes-jobs", Snap: uitest.Fixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob, Typed: "w  k"},
		{Name: "processes-tree", Snap: uitest.TreeFixture, Node: "gpu-n02", Begin: ofNode, Typed: "tjjj",
			Told: uitest.Relatives},
		{Name: "processes-filter", Snap: uitest.Fixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob,
			Typed: "/sm<50 or gpu=7"},
		{Name: "processes-none-match", Snap: uitest.Fixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob,
			Typed: "/sm>200\r"},
		{Name: "processes-sorting", Snap: uitest.Fixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob, Typed: "s"},
		{Name: "processes-none", Snap: uitest.Fixture, Node: "gpu-n04", Begin: ofNode},
		{Name: "signal", Dark: true, Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "  T"},
		{Name: "signal-job", Snap: uitest.RanksFixture, Out: keys.ToOverview.Help().Desc, Begin: ofJob,
			Typed: "K\t\t"},
		{Name: "signal-others", Snap: uitest.Fixture, Job: "48377", Begin: ofNode, Typed: "   I"},
		{Name: "signal-which", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "S"},
		{Name: "signal-family", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "K\t\t\t",
			Told: uitest.SomeReplies},
		{Name: "scancel", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "X4821\r"},
		{Name: "scancel-signal", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "X\tusr1\r"},
		{Name: "scancel-refused", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "X48211\r",
			Told: uitest.SomeReplies},
		{Name: "columns-manager", Snap: uitest.Fixture, Out: keys.ToOverview.Help().Desc,
			Look: uitest.WithColumns(rows.ChosenColumns{Processes: "command,cpu_percent,gpu,pid"}), Begin: ofJob,
			Typed: "w  k"},
		{Name: "spare-manager", Snap: uitest.FullFixture, Node: "gpu-n02", Begin: ofNode,
			Look: uitest.WithSpare(rows.ChosenColumns{Processes: "pid"})},
		{Name: "past-manager", Snap: uitest.PastFixture, Node: "gpu-n04", Begin: ofNode},
		{Name: "odd-environ", Odd: true, Snap: uitest.OddFixture, Begin: ofNode, Typed: "ejj",
			Told: uitest.Says(uitest.HostileEnviron)},
		{Name: "odd-metrics", Odd: true, Snap: uitest.OddFixture, Begin: ofNode, Typed: "\r",
			Told: uitest.Says(uitest.DetailsFixture)},
		{Name: "odd-copy", Odd: true, Snap: uitest.OddFixture, Begin: ofNode, Typed: "y"},
		{Name: "environ-search", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "jes/L O",
			Told: uitest.Says(uitest.EnvironFixture)},
		{Name: "environ-refused", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "e",
			Told: uitest.Says(wire.Reply{Error: "process 901220 belongs to bob: you can only read the environment of your " +
				"own processes"})},
		{Name: "environ-asking", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "e"},
		{Name: "details-search", Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "jv/scratch",
			Told: uitest.Says(uitest.InspectedFixture)},
		{Name: "copy-menu", Dark: true, Snap: uitest.Fixture, Node: "gpu-n02", Begin: ofNode, Typed: "yj"},
	},
}

func newPage() *process.Page {
	p := process.New(&footer.History{})
	p.Match(nil)
	p.Monitor("")
	return p
}

// The pages from which the user comes.
func ofJob(p *process.Page, s *part.Scene)  { p.Arrive(s, nav.Go{Page: keys.OnProcesses}) }
func ofNode(p *process.Page, s *part.Scene) { p.Arrive(s, nav.Go{Node: s.Node.Name}) }

func ofGPU(p *process.Page, s *part.Scene) {
	p.Arrive(s, nav.Go{Node: s.Node.Name, GPU: uitest.KeyOf(uitest.Fixture, "gpu-n02", 3)})
}

func pictures() []uitest.Picture { return processes.Pictures() }

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, uitest.Frames(pictures()))
}

// Each column that is shown only if it is chosen is in a frame, with a value.
func TestSpareColumns(t *testing.T) { processes.CheckSpare(t, "spare-manager", rows.ProcessTable) }

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
	processes.CheckUnchanged(t)
}
