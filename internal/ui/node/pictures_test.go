package node_test

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var nodes = uitest.Album[*node.Page]{
	ID: keys.OnNode, Number: keys.ToNode, Out: keys.ToOverview.Help().Desc,
	New: func() *node.Page { return node.New(&footer.History{}) },
	Shots: []uitest.Shot[*node.Page]{
		{Name: "node", Odd: true, Snap: uitest.Fixture, Node: "gpu-n02"},
		{Name: "node-procs", Snap: uitest.Fixture, Node: "gpu-n02", Begin: listProcesses},
		{Name: "node-classic", Dark: true, Snap: uitest.Fixture, Node: "gpu-n02",
			Look: part.Look{Colors: part.Colors{Classic: true}}},
		{Name: "node-levels", Dark: true, Snap: uitest.Fixture, Node: "gpu-n02",
			Look: part.Look{Colors: part.Colors{Classic: true,
				Levels: part.Levels{90, 99}, MemoryLevels: part.Levels{10, 20}}}},
		{Name: "node-filter", Snap: uitest.Fixture, Node: "gpu-n02", Begin: listProcesses,
			Typed: "/util<97 or pid=358761\r"},
		{Name: "filter-prompt-node", Snap: uitest.Fixture, Node: "gpu-n02", Begin: listProcesses, Typed: "/rank>12"},
		{Name: "node-filter-none", Snap: uitest.Fixture, Node: "gpu-n02", Begin: listProcesses, Typed: "/user=bob\r"},
		{Name: "node-shared", Dark: true, Snap: uitest.Fixture, Job: "48377", Begin: listProcesses},
		{Name: "node-states", Dark: true, Snap: uitest.StatesFixture},
		{Name: "node-connecting", Snap: uitest.Fixture, Node: "gpu-n03"},
		{Name: "node-refused", Dark: true, Snap: uitest.Fixture, Node: "gpu-n04"},
		{Name: "byhand", Snap: uitest.ByHandFixture},
		{Name: "marks", Snap: uitest.MarksFixture, Node: "gpu-n02"},
		{Name: "steps", Dark: true, Snap: uitest.StepsFixture, Node: "gpu-n02", Typed: "vv"},
		{Name: "node-mig", Snap: uitest.TenthFixture, Node: "gpu-n01", Begin: listProcesses},
		{Name: "columns-node", Snap: uitest.StatesFixture, Node: "gpu-n01",
			Look: uitest.WithSpare(rows.ChosenColumns{
				Node: "flags,power_watts,temperature_celsius,util_percent,util_bar,history"})},
		{Name: "columns-procs", Snap: uitest.Fixture,
			Look: uitest.WithColumns(rows.ChosenColumns{Node: "memory_used_bytes,util_percent",
				Processes: "gpu,command,cpu_percent,pid"}),
			Begin: listProcesses},
		{Name: "nogpus", Snap: uitest.NoGPUsFixture},
		{Name: "past-node", Dark: true, Snap: uitest.PastFixture, Node: "gpu-n04"},
		{Name: "odd", Odd: true, Snap: uitest.OddFixture, Begin: listProcesses},
		{Name: "wide", Odd: true, Snap: uitest.WideFixture},
		{Name: "bare", Odd: true, Snap: uitest.BareFixture, Begin: listProcesses},
		{Name: "mine", Odd: true, Snap: uitest.Fixture, Job: "48377", Mine: true},
	},
}

var connections = uitest.Album[*node.ConnectionPage]{
	ID: keys.OnConnection, Number: keys.ToConnection, Out: keys.ToOverview.Help().Desc,
	New: func() *node.ConnectionPage { return &node.ConnectionPage{} },
	Shots: []uitest.Shot[*node.ConnectionPage]{
		{Name: "connection", Odd: true, Snap: uitest.Fixture},
		{Name: "connection-transports", Snap: uitest.DoorsFixture, Node: "gpu-n04"},
		{Name: "connection-passed", Snap: uitest.PassedFixture, Node: "gpu-n02"},
		{Name: "past-connection", Snap: uitest.PastFixture, Node: "gpu-n04"},
	},
}

func listProcesses(p *node.Page, _ *part.Scene) { p.Processes = node.ShowOn }

func pictures() []uitest.Picture { return slices.Concat(nodes.Pictures(), connections.Pictures()) }

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, uitest.Frames(pictures()))
}

// Each column that is shown only if it is chosen is in a frame, with a value.
func TestSpareColumns(t *testing.T) { nodes.CheckSpare(t, "columns-node", rows.NodeTable) }

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
	nodes.CheckUnchanged(t)
	connections.CheckUnchanged(t)
}
