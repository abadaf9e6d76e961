package completion

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// SLURM is asked once for several TABs, and the name of a job cannot add a line or an escape sequence.
func TestNames(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	asked := 0
	ask := func(context.Context) (*slurm.Answer, error) {
		asked++
		return &slurm.Answer{
			Jobs: []cluster.Job{{ID: "7", Name: "train", Nodes: []string{"n2", "n1"}},
				{ID: "2_1", Name: "a\nnode evil\x1b[2J", Nodes: []string{"n2"}}},
			Pending: []cluster.PendingJob{{ID: "9", Name: "next"}},
		}, nil
	}
	for _, test := range []struct {
		kind string
		want []string
	}{{aJob, []string{"7\ttrain", "2_1\ta?node evil"}}, {waiting, []string{"9\tnext"}}, {aNode, []string{"n1", "n2"}}} {
		if got := names(test.kind, ask); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.kind, got, test.want)
		}
	}
	if asked != 1 {
		t.Errorf("SLURM was asked %d times", asked)
	}
}

// While SLURM is slow the names of its last answer are better than none, for an hour.
func TestOldNames(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	answer := func(context.Context) (*slurm.Answer, error) {
		return &slurm.Answer{Jobs: []cluster.Job{{ID: "7", Name: "train"}}}, nil
	}
	if got := names(aJob, answer); len(got) != 1 {
		t.Fatalf("%q", got)
	}
	path := filepath.Join(os.Getenv("XDG_STATE_HOME"), "nvnodetop", "completion")
	for age, want := range map[time.Duration]int{2 * fresh: 1, 2 * time.Hour: 0} {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
		asked := false
		got := names(aJob, func(context.Context) (*slurm.Answer, error) {
			asked = true
			return nil, context.DeadlineExceeded
		})
		if len(got) != want || !asked {
			t.Errorf("%v later %q, asked %v", age, got, asked)
		}
		if err := config.KeepListing(aJob + "7\ttrain\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// A controller that does not answer costs one short wait, not one at each TAB.
func TestNamesOfASlowController(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := func(ctx context.Context) (*slurm.Answer, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		for range 2 {
			if got := names(aJob, ask); len(got) > 0 {
				t.Errorf("got %q", got)
			}
		}
		if took := time.Since(began); asked != 1 || took != patience {
			t.Errorf("SLURM was asked %d times, %v in all", asked, took)
		}
	})
}
