package stacks_test

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/stacks"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var reads = uitest.Album[*stacks.Page]{
	ID: keys.OnStacks, Out: keys.ToOverview.Help().Desc,
	New: func() *stacks.Page { return stacks.New() },
	Shots: []uitest.Shot[*stacks.Page]{
		{Name: "stacks", Odd: true, Snap: uitest.RanksFixture, Later: readsStacks(2)},
		{Name: "stacks-asking", Snap: uitest.RanksFixture, Later: readsStacks(0)},
		{Name: "stacks-group", Snap: uitest.RanksFixture, Later: readsThen("j\r")},
		{Name: "stacks-diff", Snap: uitest.RanksFixture, Later: readsThen("jc")},
	},
}

type stage = uitest.Stage[*stacks.Page]

// readsStacks lets the page ask so many times.
func readsStacks(looks int) func(*stage) {
	return func(st *stage) { uitest.ReadStacks(st.Page, st.Scene, looks) }
}

// readsThen lets the page ask twice, and then presses keys.
func readsThen(typed string) func(*stage) {
	return func(st *stage) {
		uitest.ReadStacks(st.Page, st.Scene, 2)
		st.Settle()
		st.Type(typed)
	}
}

func pictures() []uitest.Picture { return reads.Pictures() }

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
	reads.CheckUnchanged(t)
}
