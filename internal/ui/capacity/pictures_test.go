package capacity_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	supply "github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var clusters = uitest.Album[*capacity.Page]{
	ID: keys.OnCluster, Aside: true, Out: keys.ToOverview.Help().Desc,
	New: func() *capacity.Page { return capacity.New(&footer.History{}, false) },
	Shots: []uitest.Shot[*capacity.Page]{
		{Name: "cluster", Odd: true, Snap: uitest.JobsFixture, Later: counts(uitest.ACluster(8))},
		{Name: "cluster-nodes", Snap: uitest.Fixture, Typed: "v", Later: counts(uitest.ACluster(8))},
		{Name: "cluster-partition", Snap: uitest.Fixture, Later: countsThen("jjjjjjj\r")},
		{Name: "cluster-1000", Snap: uitest.Fixture, Typed: "v", Later: counts(uitest.ACluster(1000))},
		{Name: "cluster-all", Snap: uitest.Fixture, Later: ofEveryone(2)},
		{Name: "cluster-idle", Snap: uitest.IdleFixture, Later: ofEveryone(3)},
		{Name: "cluster-asking", Snap: uitest.NoJobsFixture},
		{Name: "cluster-stale", Snap: uitest.NoJobsFixture, Later: counts(uitest.ACluster(8), uitest.ErrNoController)},
		{Name: "cluster-hidden", Snap: uitest.Fixture, Later: counts(nil, uitest.ErrHiddenNodes)},
		{Name: "cluster-none", Snap: uitest.Fixture, Later: counts(supply.Of(&supply.Supply{}, uitest.Now))},
	},
}

var empty = uitest.Album[*capacity.NoJobsPage]{
	ID: keys.OnNoJobs, Out: keys.Back.Help().Desc,
	New: func() *capacity.NoJobsPage { return &capacity.NoJobsPage{} },
	Shots: []uitest.Shot[*capacity.NoJobsPage]{
		{Name: "nojobs", Odd: true, Snap: uitest.NoJobsFixture},
		{Name: "slurm-failed", Snap: uitest.SlurmFailedFixture},
		{Name: "nothing", Odd: true, Snap: func() *cluster.Snapshot { return &cluster.Snapshot{} }},
	},
}

type stage = uitest.Stage[*capacity.Page]

// counts lets the page hear an answer, and then a failure, if there is one.
func counts(c *supply.Cluster, failed ...error) func(*stage) {
	return func(st *stage) { uitest.Count(st.Page, st.Scene, c, failed...) }
}

// countsThen lets the page hear an answer, and then presses keys.
func countsThen(typed string) func(*stage) {
	return func(st *stage) {
		counts(uitest.ACluster(8))(st)
		st.Type(typed)
	}
}

// ofEveryone makes the page one of an admin, and presses v so often.
func ofEveryone(times int) func(*stage) {
	return func(st *stage) {
		st.Page = capacity.New(&footer.History{}, true)
		countsThen(strings.Repeat("v", times))(st)
	}
}

func pictures() []uitest.Picture { return slices.Concat(clusters.Pictures(), empty.Pictures()) }

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
	clusters.CheckUnchanged(t)
	empty.CheckUnchanged(t)
}
