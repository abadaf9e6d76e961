package ui

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/hint"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/palette"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// find opens the palette over the page with the keyboard: to search for anything, or as the help of the page.
func (v *view) find(s *part.Scene, anything bool) {
	v.palette.Open(v.source(v.keys(s), v.about(s), anything))
}

// about names the subject of the actions.
func (v *view) about(s *part.Scene) string {
	at := string(v.keys(s))
	if p, is := v.body().(subject); is && s.Job != nil {
		if on := p.Subject(s); on != "" {
			return at + ": " + on
		}
	}
	switch {
	case s.Job == nil:
		return at
	case s.Node == nil || !v.has(keys.HasNode):
		return at + " of job " + s.Job.ID
	}
	return at + ", " + s.Node.Name + ", job " + s.Job.ID
}

// source has the items of the palette over a page.
func (m keymap) source(at keys.Page, about string, anything bool) *palette.Source {
	return &palette.Source{
		About: about, Finds: anything,
		Here:  func(s *part.Scene) []palette.Item { return append(m.actions(at, s), explained(s)...) },
		There: func(s *part.Scene) []*palette.Item { return append(things(s), palette.Pointers(m.elsewhere(at))...) },
	}
}

// actions returns what the keys of a page do, group by group.
func (m keymap) actions(at keys.Page, s *part.Scene) (list []palette.Item) {
	rows := m.helpOf(at)
	if s.Replay {
		rows = keys.InReplay(rows)
	}
	for _, a := range keys.Actions(rows) {
		needs := a.Needs
		if e := numbered(a.Press()); e != nil && e.has&keys.IsAside == 0 {
			needs |= keys.NeedsJob
		}
		list = append(list, item(&a, hint.Why(s, needs)))
	}
	return list
}

// explained is what is only to be read: the admins' message, marks and colors, the version.
func explained(s *part.Scene) (list []palette.Item) {
	if s.Banner != "" {
		list = append(list, palette.Item{Group: "from your admins", Text: s.Banner})
	}
	return append(append(list, palette.Marks()...),
		palette.Item{Group: "version", Text: s.Version})
}

func item(a *keys.Action, not string) palette.Item {
	it := palette.Item{Group: keys.Groups[a.Group], Text: a.Text, Key: a.Keys, Press: a.Press(), Not: not}
	if a.Long != a.Text {
		it.Note = a.Long
	}
	return it
}

// elsewhere returns what only the keys of other pages do, and says on which.
func (m keymap) elsewhere(at keys.Page) (list []palette.Item) {
	known := map[string]bool{}
	for _, a := range m.actionsOf(at) {
		known[a.ID] = true
	}
	for i := range pages {
		e := &pages[i]
		if len(e.number.Keys()) == 0 {
			continue
		}
		for _, a := range m.actionsOf(e.id) {
			if !known[a.ID] {
				list = append(list, item(&a, "on the page "+e.number.Help().Desc+" ("+e.number.Help().Key+")"))
			}
			known[a.ID] = true
		}
	}
	return list
}

// things returns what has a name: pages, jobs, nodes, ranks and processes, users, metrics, themes, settings.
func things(s *part.Scene) (list []*palette.Item) {
	for i := range pages {
		if e := &pages[i]; len(e.number.Keys()) > 0 && (s.Job != nil || e.has&keys.IsAside != 0) {
			list = append(list, &palette.Item{Text: "page: " + e.number.Help().Desc, Key: e.number.Help().Key,
				Press: keys.Pressed(e.number.Keys()[0])})
		}
	}
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
