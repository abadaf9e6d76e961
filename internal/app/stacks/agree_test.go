package stacks

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	page "github.com/nvnodetop/nvnodetop/internal/ui/stacks"
)

const jobID = "48211"

// judged is what a way to look at the job says of it.
type judged func(t *testing.T, p *cli.Program, from *demo.Demo) *rankstacks.Verdict

// asItself is what the screen, watch, serve and record find by themselves.
func asItself(t *testing.T, p *cli.Program, from *demo.Demo) (d *rankstacks.Verdict) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	see := func(s *cluster.Snapshot) error {
		d = s.Stacks[jobID]
		return nil
	}
	if err := feed.FollowedAsking(p, 10*time.Second, see)(ctx, from); err != nil {
		t.Error(err)
	}
	return d
}

// asCommand is what the commands stacks and doctor find.
func asCommand(t *testing.T, p *cli.Program, from *demo.Demo) *rankstacks.Verdict {
	d, err := Once(t.Context(), p, from)
	if err != nil {
		t.Error(err)
	}
	return d
}

// asPage is what the page of the screen shows.
func asPage(t *testing.T, p *cli.Program, from *demo.Demo) *rankstacks.Verdict {
	ctx := t.Context()
	from.Look(cluster.EveryNode, true)
	w := source.OpenWatch(ctx, &p.Config, 0, from)
	defer func() { _ = w.Stop(feed.ShortParting) }()
	w.Settle(nil)
	s := &part.Scene{Snap: w.Snapshot(), Memory: &part.Memory{}}
	s.Resize(120, 40)
	for i := range s.Snap.Jobs {
		if s.Snap.Jobs[i].ID == jobID {
			s.SetJob(i)
		}
	}
	on, last := page.New(), (*rankstacks.Verdict)(nil)
	var library []nav.Ask // it takes seconds to answer
	on.Arrive(s, nav.Go{})
	var tell func(a nav.Answer)
	tell = func(a nav.Answer) {
		if a.Stacks != nil {
			last = a.Stacks
		}
		for _, q := range a.Ask {
			if q.NCCL != nil {
				library = append(library, q)
				continue
			}
			reply, err := from.Ask(ctx, q.Node, q.Request)
			tell(on.Press(nav.Result{Ask: q, Reply: reply, Err: err}, s))
		}
	}
	for range 20 {
		tell(on.Due(time.Now(), s, true))
		time.Sleep(time.Second)
	}
	for _, q := range library {
		v, err := ask.New(ask.Node(from.Ask)).Job(ctx, q.NCCL.Job, q.NCCL.Places)
		tell(on.Press(nav.Result{Ask: q, Verdict: v, Err: err}, s))
	}
	return last
}

// However a job is looked at, the verdict on it is the same.
func TestAllAgree(t *testing.T) {
	said := map[string]string{}
	for name, look := range map[string]judged{"itself": asItself, "command": asCommand, "page": asPage} {
		synctest.Test(t, func(t *testing.T) {
			p := &cli.Program{Config: config.Default()}
			p.Config.Job = jobID
			d := look(t, p, demo.New(4, 8, demo.Seed, 3*time.Second, 10*time.Minute).Hang())
			time.Sleep(2 * time.Minute) // until NCCL's answers are not awaited any more
			if d == nil || d.NCCL == nil || d.ComparedSeconds == nil {
				t.Fatalf("%s: %+v", name, d)
			}
			said[name] = strings.Join(append([]string{string(d.State), d.Headline, d.NCCL.State}, d.Said...), "; ")
		})
	}
	if said["itself"] != said["command"] || said["command"] != said["page"] ||
		!strings.HasPrefix(said["page"], "stuck; rank 11 in _try_get_data") {
		t.Errorf("they say %q", said)
	}
}
