package joblog_test

import (
	"errors"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/joblog"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var logs = uitest.Album[*joblog.Page]{
	ID: keys.OnLog, Out: keys.ToOverview.Help().Desc,
	New: func() *joblog.Page { return joblog.New() },
	Shots: []uitest.Shot[*joblog.Page]{
		{Name: "log", Odd: true, Snap: uitest.Fixture, Later: readsLog(uitest.ALog)},
		{Name: "log-error", Snap: uitest.Fixture,
			Later: readsLog("", errors.New("the log is read through its node: \"gpu-n01\" is not connected"))},
	},
}

type stage = uitest.Stage[*joblog.Page]

// readsLog lets the page read a log.
func readsLog(text string, failed ...error) func(*stage) {
	return func(st *stage) { uitest.ReadLog(st.Page, st.Scene, text, failed...) }
}

func pictures() []uitest.Picture { return logs.Pictures() }

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
	logs.CheckUnchanged(t)
}
