package lists_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var problems = uitest.Album[*lists.Problems]{
	ID: keys.OnProblems, Number: keys.ToProblems, Out: keys.ToOverview.Help().Desc,
	New: func() *lists.Problems { return lists.NewProblems(&footer.History{}) },
	Shots: []uitest.Shot[*lists.Problems]{
		{Name: "problems", Odd: true, Snap: uitest.Fixture, Typed: "j"},
		{Name: "problems-64", Snap: sync.OnceValue(uitest.BigFixture), Typed: "G"},
		{Name: "filter-problems", Snap: uitest.Fixture, Typed: "/severity=warning\rj"},
		{Name: "filter-problems-none", Snap: uitest.Fixture, Typed: "/letter=E\r"},
	},
}

var ranks = uitest.Album[*lists.Ranks]{
	ID: keys.OnRanks, Number: keys.ToRanks, Out: keys.ToOverview.Help().Desc,
	New: func() *lists.Ranks { return lists.NewRanks(&footer.History{}) },
	Shots: []uitest.Shot[*lists.Ranks]{
		{Name: "ranks", Odd: true, Snap: uitest.RanksFixture, Typed: "n"},
		{Name: "ranks-sorted", Snap: uitest.RanksFixture, Typed: "s"},
		{Name: "ranks-unknown", Snap: uitest.UnrankedFixture},
		{Name: "ranks-none", Snap: uitest.NoGPUsFixture, Job: "48377"},
		{Name: "filter-prompt-tab", Snap: uitest.RanksFixture, Typed: "/train u\t\t"},
		{Name: "filter-ranks", Snap: uitest.RanksFixture, Typed: "/sm<90 or state=gone\r"},
		{Name: "filter-ranks-none", Snap: uitest.RanksFixture, Typed: "/user=nobody\r"},
		{Name: "columns-ranks", Snap: uitest.RanksFixture,
			Look: uitest.WithColumns(rows.ChosenColumns{
				Ranks: "sm_percent,node,host_memory_percent,user,type,gpu,cpu_percent,command"}),
			Typed: "n"},
		{Name: "spare-ranks", Snap: uitest.FullFixture, Look: uitest.WithSpare(rows.ChosenColumns{Ranks: "rank"})},
		{Name: "past-ranks", Snap: uitest.PastFixture, Node: "gpu-n04"},
		{Name: "ranks-programs", Snap: uitest.ProgramsFixture, Typed: "n"},
	},
}

var jobs = uitest.Album[*lists.Jobs]{
	ID: keys.OnJobs, Number: keys.ToJobs, Aside: true, Out: keys.ToOverview.Help().Desc,
	New: func() *lists.Jobs { return lists.NewJobs(&footer.History{}) },
	Shots: []uitest.Shot[*lists.Jobs]{
		{Name: "jobs", Odd: true, Snap: uitest.JobsFixture},
		{Name: "filter-prompt-jobs", Snap: uitest.JobsFixture, Typed: "s/mmlu gpus<3"},
		{Name: "jobs-1000", Snap: sync.OnceValue(func() *cluster.Snapshot { return uitest.TasksFixture(1000) }), Typed: "G"},
		{Name: "jobs-none", Snap: func() *cluster.Snapshot {
			return &cluster.Snapshot{At: uitest.Now,
				Discovery: uitest.AwayFixture().Discovery}
		}},
		{Name: "columns-jobs", Snap: uitest.JobsFixture,
			Look: uitest.WithColumns(rows.ChosenColumns{Jobs: "job,left_seconds,name,util_mean_percent,health"})},
		{Name: "spare-jobs", Snap: uitest.StepsFixture, Look: uitest.WithSpare(rows.ChosenColumns{Jobs: "job"})},
		{Name: "odd-jobs", Odd: true, Snap: uitest.OddFixture},
	},
}

var waits = uitest.Album[*lists.Waiting]{
	ID: keys.OnWaiting, Aside: true, Out: keys.ToJobs.Help().Desc,
	New: func() *lists.Waiting { return &lists.Waiting{} },
	Shots: []uitest.Shot[*lists.Waiting]{
		{Name: "waiting", Odd: true, Snap: uitest.JobsFixture, Begin: waitsFor("48390"), Typed: "E", Told: tellsWhy},
		{Name: "waiting-unasked", Odd: true, Snap: uitest.JobsFixture, Begin: waitsFor("48500_[1-400%12]")},
		{Name: "waiting-asking", Snap: uitest.JobsFixture, Begin: waitsFor("48390"), Typed: "E"},
		{Name: "waiting-failed", Snap: uitest.JobsFixture, Begin: waitsFor("48390"), Typed: "E",
			Told: func(a nav.Ask) nav.Result {
				return nav.Result{Ask: a, Err: errors.New("SLURM was just asked about job 7: ask again in 8s")}
			}},
		{Name: "waiting-over", Snap: uitest.JobsFixture, Begin: waitsFor("1")},
	},
}

func waitsFor(job string) func(*lists.Waiting, *part.Scene) {
	return func(p *lists.Waiting, s *part.Scene) { p.Arrive(s, nav.Go{Choice: job}) }
}

func tellsWhy(a nav.Ask) nav.Result { return nav.Result{Ask: a, Wait: uitest.AWait()} }

var users = uitest.Album[*lists.Users]{
	ID: keys.OnUsers, Number: keys.ToUsers, Aside: true, Out: keys.ToOverview.Help().Desc,
	New: func() *lists.Users { return lists.NewUsers(&footer.History{}) },
	Shots: []uitest.Shot[*lists.Users]{
		{Name: "users", Odd: true, Snap: uitest.JobsFixture, Typed: "j"},
		{Name: "columns-users", Snap: uitest.JobsFixture,
			Look: uitest.WithSpare(rows.ChosenColumns{Users: "gpus,job,gpu_memory_bytes"})},
		{Name: "odd-users", Odd: true, Snap: uitest.OddFixture},
	},
}

func pictures() []uitest.Picture {
	return slices.Concat(problems.Pictures(), ranks.Pictures(), jobs.Pictures(), waits.Pictures(), users.Pictures())
}

func TestGolden(t *testing.T) {
	raced.Skip(t)
	uitest.Golden(t, uitest.Frames(pictures()))
}

// Each column that is shown only if it is chosen is in a frame, with a value.
func TestSpareColumns(t *testing.T) {
	ranks.CheckSpare(t, "spare-ranks", rows.RankTable)
	jobs.CheckSpare(t, "spare-jobs", rows.JobTable)
	users.CheckSpare(t, "columns-users", rows.UserTable)
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
	problems.CheckUnchanged(t)
	ranks.CheckUnchanged(t)
	jobs.CheckUnchanged(t)
	waits.CheckUnchanged(t)
	users.CheckUnchanged(t)
}
