package capacity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

type (
	jobs     = list.List[capacity.Job, string]
	idleGPUs = list.List[capacity.IdleGPU, typeKey]
)

// newJobs lists the jobs of all users.
func newJobs(p *Page, past *footer.History) *jobs {
	return list.New(past, list.Of[capacity.Job, string]{
		Name: func(*part.Scene) string { return "Cluster · jobs of all users" }, Noun: "jobs",
		Rows: func(*part.Scene) []capacity.Job {
			if p.known == nil {
				return nil
			}
			return p.known.Jobs()
		},
		Version: p.listVersion,
		Key:     func(j *capacity.Job) string { return j.ID },
		Reads: list.By(&rows.AllJobs, func(*part.Scene) func(*capacity.Job) *capacity.Job {
			return func(j *capacity.Job) *capacity.Job { return j }
		}),
		Orders: []list.Order[capacity.Job]{{Column: "job", Words: "id", AsListed: true}, {Column: "user"},
			{Column: "partition"}, {Column: "nodes"}, {Column: "gpus"}, {Column: "elapsed_seconds"},
			{Column: "left_seconds"}},
		Usual: []string{"gpus", "elapsed_seconds", "user", "job"},
		Open: func(s *part.Scene, j *capacity.Job) nav.Answer {
			return openNodeOf(s, nav.Go{Page: keys.OnNode}, j.Nodes...)
		},
		Opens:  func(s *part.Scene, j *capacity.Job) string { return opensOf(s, j.Nodes...) },
		Header: p.drawHeader,
		Above:  func(f *part.Frame, _ *list.View[capacity.Job]) []string { return p.noticeLines(f.W) },
		None: func(f *part.Frame) string {
			if p.known != nil {
				return "SLURM shows you no job on these nodes"
			}
			return p.whyEmpty(f)
		},
		Table: func(f *part.Frame, _ *list.View[capacity.Job]) list.Table[capacity.Job] { return newJobTable(f) },
		Hints: p.footerHints(ofAll),
	})
}

// newIdle lists the GPUs that are allocated but idle.
func newIdle(p *Page, past *footer.History) *idleGPUs {
	return list.New(past, list.Of[capacity.IdleGPU, typeKey]{
		Name: func(*part.Scene) string { return "Cluster · GPUs in use that are idle" }, Noun: "idle GPUs",
		Rows:    func(s *part.Scene) []capacity.IdleGPU { return p.findIdleGPUs(s).GPUs },
		Version: p.listVersion,
		Key:     func(g *capacity.IdleGPU) typeKey { return typeKey{g.Node.Name, g.Key} },
		Reads: list.By(&rows.IdleGPUs, func(*part.Scene) func(*capacity.IdleGPU) *capacity.IdleGPU {
			return func(g *capacity.IdleGPU) *capacity.IdleGPU { return g }
		}),
		Orders: []list.Order[capacity.IdleGPU]{{Column: "node", Words: "name"}, {Column: "gpu"},
			{Column: "idle_seconds", Words: "longest"}, {Column: "memory_used_bytes"}, {Column: "gpu_name"}},
		Usual: []string{"idle_seconds", "node", "memory_used_bytes"},
		Open: func(s *part.Scene, g *capacity.IdleGPU) nav.Answer {
			return openNodeOf(s, nav.Go{Page: keys.OnGPU, GPU: g.Key}, g.Node.Name)
		},
		Opens:  func(s *part.Scene, g *capacity.IdleGPU) string { return opensOf(s, g.Node.Name) },
		Header: p.drawHeader,
		Above:  func(f *part.Frame, _ *list.View[capacity.IdleGPU]) []string { return p.unreadLines(f) },
		None: func(f *part.Frame) string {
			if l := p.findIdleGPUs(f.Scene); p.known != nil {
				return fmt.Sprintf("none of the %d GPUs in use on nodes that are read is idle", l.Read)
			}
			return p.whyEmpty(f)
		},
		Table: func(f *part.Frame, _ *list.View[capacity.IdleGPU]) list.Table[capacity.IdleGPU] {
			return newIdleTable(f)
		},
		Hints: p.footerHints(ofIdle),
	})
}

// idleOf is the key of the idle GPUs in the scene's memory.
type idleOf struct{ known *capacity.Cluster }

func (p *Page) findIdleGPUs(s *part.Scene) capacity.IdleList {
	if p.known == nil {
		return capacity.IdleList{}
	}
	return part.OfSnapshot(s, idleOf{p.known}, func() capacity.IdleList { return capacity.IdleOf(s.Snap, p.known) })
}

// unreadLines says which allocated GPUs are not read, and how they could be.
func (p *Page) unreadLines(f *part.Frame) []string {
	if p.known == nil {
		return p.noticeLines(f.W)
	}
	l := p.findIdleGPUs(f.Scene)
	text := fmt.Sprintf("%d of %d GPUs in use are read", l.Read, l.All)
	if l.Read < l.All {
		text += "; the others are in shares, or on nodes that are not watched here: nvnodetop --nodes LIST watches " +
			"nodes that you may log in to"
	}
	text += "."
	if slices.ContainsFunc(l.GPUs, func(g capacity.IdleGPU) bool { return g.AtLeast }) {
		text += " The histories limit the times: the setting history makes them longer."
	}
	return draw.Wrap(strings.TrimSpace(text), max(f.W-5, 10), "")
}
