package source

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The end of the log of a job that has failed is read once; until then the job is being asked about. Nothing is read of
// other jobs, and of an array only the logs of some tasks.
func TestCauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c := newCauses(func(_ context.Context, q joblog.Query) (joblog.Piece, error) {
			time.Sleep(time.Second)
			asked = append(asked, q.Job)
			return joblog.Piece{Both: true, LogPiece: wire.LogPiece{Size: 17, Data: []byte("ValueError: bad\n")}}, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		news := 0
		go c.readLogs(ctx, func() { news++ })
		now := time.Now()
		ended := func(id string, state cluster.EndState) cluster.EndedJob {
			return cluster.EndedJob{ID: id, Number: id, State: state, Missed: now}
		}
		jobs := []cluster.EndedJob{ended("1", cluster.JobFailed), ended("2", cluster.JobCompleted),
			ended("3", cluster.JobCanceled), ended("4", cluster.JobNodeFailed)}
		jobs = append(jobs, ended("4", cluster.JobFailed))
		jobs[4].Asking = true
		for i := range 6 {
			jobs = append(jobs, ended(fmt.Sprintf("5_%d", i), cluster.JobFailed))
		}
		first := c.addCauses(jobs, "")
		if !first[0].Asking || first[1].Asking || first[0].Cause != "" || jobs[0].Asking {
			t.Errorf("%+v", first)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		again := c.addCauses(jobs, "")
		if again[0].Asking || again[0].Cause != "ValueError: bad" || again[5].Cause == "" || again[10].Cause != "" ||
			again[10].Asking || !slices.Equal(asked, []string{"1", "5_0", "5_1", "5_2"}) || news != 4 {
			t.Errorf("asked %q, %d times news, %+v", asked, news, again)
		}
		if other := c.addCauses(jobs[:1], "7"); other[0].Asking || other[0].Cause != "" {
			t.Errorf("a job that nobody wants: %+v", other)
		}
		cancel()
		synctest.Wait()
	})
}
