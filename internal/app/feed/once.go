package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// How long outputs wait for sessions to close: an output that is printed once, and an output that runs until it is
// stopped. Remaining sessions end with the process, and the probes end with their connections.
const (
	ShortParting = 500 * time.Millisecond
	Parting      = 2 * time.Second
)

// Once is what a Snapshot that is printed once needs: two reports of each node, unless the user wants the first.
func Once(p *cli.Program) Need {
	if p.FirstSample {
		return Need{Brief: true}
	}
	return Need{Brief: true, Second: config.SecondSample}
}

// Printed waits until every node has sent its reports or failed, or until the timeout, and prints one Snapshot. It
// prints before it closes the sessions, because a hung node closes slowly. verdict returns the error for the printed
// Snapshot.
func Printed(p *cli.Program, need Need, print, verdict func(*cluster.Snapshot) error) Show {
	return func(ctx context.Context, from Feed) error {
		from.Look(cluster.EveryNode, true)
		w := source.OpenWatch(ctx, &p.Config, need.Second, from, RaiseMemory())
		defer func() { _ = w.Stop(0) }()
		line := cli.NewStatus(p.Err)
		tails := logTails{from: from, w: w, ctx: w.Context(), turns: make(chan struct{}, mostTails)}
		w.Settle(func(s *cluster.Snapshot, early []*cluster.Node) {
			sayWaiting(line, s, early)
			if need.readsTails(&p.Config) {
				tails.readTails(s, false)
			}
		})
		line.Erase()
		if need.readsTails(&p.Config) {
			tails.readTails(w.Snapshot(), true)
			tails.awaitTails()
		}
		if err := w.Err(); err != nil { // the source ended by itself: there is no SLURM
			return cli.Failed(err)
		}
		snap := tally.GiveUp(w.Snapshot())
		if err := cmp.Or(print(snap), w.Stop(ShortParting)); err != nil {
			return cli.Failed(err)
		}
		return verdict(snap)
	}
}

// Followed calls see with a Snapshot at each interval, until ctx ends, which is not an error, or until see fails. The
// first call comes once every node has reported or failed, or after the timeout.
func Followed(p *cli.Program, every time.Duration, see func(*cluster.Snapshot) error) Show {
	return followSnapshots(p, every, see, func(Feed, *source.Watch) {})
}

// FollowedAsking does what Followed does. It also asks jobs that seem to hang where their ranks are.
func FollowedAsking(p *cli.Program, every time.Duration, see func(*cluster.Snapshot) error) Show {
	return followSnapshots(p, every, see, func(from Feed, w *source.Watch) { AskHung(&p.Config, from, w) })
}

func followSnapshots(p *cli.Program, every time.Duration, see func(*cluster.Snapshot) error,
	begin func(Feed, *source.Watch)) Show {
	return func(ctx context.Context, from Feed) error {
		from.Look(cluster.EveryNode, true)
		w := source.OpenWatch(ctx, &p.Config, 0, from, RaiseMemory())
		begin(from, w)
		w.Settle(nil)
		var err error
		w.Each(every, func(s *cluster.Snapshot) bool {
			err = see(s)
			return err == nil
		})
		return cli.Failed(cmp.Or(err, w.Stop(ShortParting)))
	}
}

// Verdict returns the error for one Snapshot, with its exit code, or nil. It is a failure if a node or a GPU does not
// report, or if a problem is critical, such as a missing GPU.
func Verdict(s *cluster.Snapshot) error {
	switch failure := s.Discovery.Failure; {
	case len(s.Jobs) > 0:
	case failure != nil:
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("%s: %w", s.Discovery.Command, failure))
	default:
		return cli.Exit(cli.ExitNoJobs, errors.New("no running job"))
	}
	return cli.Failed(notWell(s))
}

// NotRunning is the error for a job that is not among the jobs of a Snapshot, some of which it names.
func NotRunning(job string, s *cluster.Snapshot) error {
	const most = 4 // jobs that are named
	var ids []string
	for i := range s.Jobs[:min(len(s.Jobs), most)] {
		ids = append(ids, s.Jobs[i].ID)
	}
	named := ""
	if len(ids) > 0 {
		named = ": " + strings.Join(ids, ", ")
	}
	if len(s.Jobs) > most {
		named += ", …"
	}
	return fmt.Errorf("job %q is not one of your running jobs%s", job, named)
}

// NoJob is the error for a Snapshot without the wanted job.
func NoJob(cfg *config.Config, s *cluster.Snapshot) error {
	if cfg.Job == "" || s.Discovery.Answered.IsZero() {
		return Verdict(s)
	}
	return cli.Exit(cli.ExitNoJobs, NotRunning(cfg.Job, s))
}
