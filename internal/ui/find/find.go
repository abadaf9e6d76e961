// Package find has the things of a Scene that have a name, for the palette: jobs, nodes, ranks and processes, users,
// metrics, themes, settings.
package find

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/palette"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Things returns all of them, with the way to each.
func Things(s *part.Scene) (list []*palette.Item) {
	for i := range s.Snap.Jobs {
		list = append(list, ofJob(&s.Snap.Jobs[i])...)
	}
	if s.Job != nil {
		list = append(list, processesOf(s)...)
		for _, u := range s.Users() {
			if u.User != "" {
				list = append(list, &palette.Item{Text: "user " + u.User,
					Note: part.Plural(u.Procs, "process", "processes"),
					Go:   nav.Go{Page: keys.OnProcesses, Filter: lists.OfUser(u.User)}})
			}
		}
		for g := range tally.Gauges {
			name := part.GaugeName(g)
			list = append(list, &palette.Item{Text: "cells: " + name, Note: "metric of the overview's cells",
				Go: nav.Go{Page: keys.OnOverview, Choice: name}})
		}
	}
	for _, name := range draw.Themes {
		list = append(list, &palette.Item{Text: "theme " + name,
			Go: nav.Go{Page: keys.OnSettings, Choice: "theme " + name}})
	}
	for _, way := range s.Ways {
		list = append(list, &palette.Item{Text: "news: " + settings.TryNews + way,
			Go: nav.Go{Page: keys.OnSettings, Choice: settings.TryNews + way}})
	}
	for _, title := range settings.Titles() {
		list = append(list, &palette.Item{Text: "setting: " + strings.ToLower(title),
			Go: nav.Go{Page: keys.OnSettings, Choice: title}})
	}
	return list
}

// ofJob returns a job and its nodes.
func ofJob(job *cluster.JobView) (list []*palette.Item) {
	list = append(list, &palette.Item{Text: "job " + job.ID + " " + job.Name,
		Note: part.Plural(len(job.Nodes), "node", "nodes"), Go: nav.Go{Job: job.ID, Page: nav.Start(len(job.Nodes))}})
	for _, name := range job.Nodes {
		list = append(list, &palette.Item{Text: "node " + name, Note: "of job " + job.ID + " " + job.Name,
			Go: nav.Go{Job: job.ID, Page: keys.OnNode, Node: name}})
	}
	return list
}

// processItems are the items of the processes of nodes, by the first process: each list of a node has others.
type processItems struct {
	now, before map[*wire.Process][]*palette.Item
}

type processItemsKey struct{}

// processesOf returns the processes on the GPUs of the job's nodes. Thousands of them take long, so those of a node are
// made once for each list.
func processesOf(s *part.Scene) (list []*palette.Item) {
	all := part.Onward(s, processItemsKey{}, func(before *processItems) *processItems {
		all := &processItems{now: map[*wire.Process][]*palette.Item{}}
		if before != nil {
			all.before = before.now
		}
		return all
	})
	for _, node := range s.Job.Nodes {
		n := s.NodeOf(node)
		if len(n.Processes) == 0 {
			continue
		}
		first := &n.Processes[0]
		if all.now[first] == nil {
			if all.now[first] = all.before[first]; all.now[first] == nil {
				all.now[first] = processesOn(n)
			}
		}
		list = append(list, all.now[first]...)
	}
	return list
}

func processesOn(n *cluster.Node) []*palette.Item {
	items, processes := make([]palette.Item, len(n.Processes)), make([]nav.Process, len(n.Processes))
	for i := range n.Processes {
		p := &n.Processes[i]
		processes[i] = nav.Process{Node: n.Name, ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks},
			GPU: p.GPU}
		text := "PID " + strconv.Itoa(p.PID)
		if p.Rank != nil {
			text = "rank " + strconv.Itoa(p.Rank.Rank) + "  " + text
		}
		items[i] = palette.Item{Text: text, Note: n.Name + " " + p.User + " " + p.Command,
			Go: nav.Go{Page: keys.OnProcesses, Node: n.Name, Process: &processes[i]}}
	}
	return palette.Pointers(items)
}
