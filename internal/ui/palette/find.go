package palette

import (
	"maps"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lists"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// FindItems returns all of them, each with the way to it.
func FindItems(s *part.Scene) (list []*Item) {
	for i := range s.Snap.Jobs {
		list = append(list, ofJob(s, &s.Snap.Jobs[i])...)
	}
	list = append(list, Pointers(otherJobs(s))...)
	if s.Job != nil {
		known := newProcesses(s)
		for _, node := range s.Job.Nodes {
			list = append(list, known.findOnNode(s.NodeOf(node)).items...)
		}
		list = append(list, usersOf(s, known)...)
		list = append(list, Pointers(slices.Concat(stepItems(s), gpusOf(s), gauges(), orders()))...)
	}
	return append(list, Pointers(append(settingItems(s), commands(s)...))...)
}

// jobKey is the key of the items of a job.
type jobKey struct{ job, name string }

// jobItems are the items of a job and its nodes, which seldom change.
type jobItems struct {
	nodes []string
	items []*Item
}

// ofJob returns the items of a job and its nodes.
func ofJob(s *part.Scene, job *cluster.JobView) []*Item {
	return part.Onward(s, jobKey{job.ID, job.Name}, func(before *jobItems) *jobItems {
		if before != nil && slices.Equal(before.nodes, job.Nodes) {
			return before
		}
		now := &jobItems{nodes: job.Nodes}
		now.items = append(now.items, &Item{Text: "job " + job.ID + " " + job.Name,
			Also: job.ID, Note: part.Plural(len(job.Nodes), "node", "nodes"),
			Go: nav.Go{Job: job.ID, Page: nav.Start(len(job.Nodes))}})
		note := "of job " + job.ID + " " + job.Name
		for _, name := range job.Nodes {
			now.items = append(now.items, &Item{Text: "node " + name, Also: name, Note: note,
				Go: nav.Go{Job: job.ID, Page: keys.OnNode, Node: name}})
		}
		return now
	}).items
}

// usersOf returns the users with processes on the nodes of the jobs.
func usersOf(s *part.Scene, known *processes) (list []*Item) {
	counts := map[string]int{}
	for _, n := range s.Snap.Nodes {
		for user, count := range known.findOnNode(n).users {
			counts[user] += count
		}
	}
	delete(counts, "")
	for _, user := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, &Item{Text: "user " + user, Also: user,
			Note: part.Plural(counts[user], "process", "processes"),
			Go:   nav.Go{Page: keys.OnProcesses, Filter: lists.OfUser(user)}})
	}
	return list
}

// processes holds what was found in the lists of processes. The key is a list's first process, since each list of a
// node is a new slice.
type processes struct {
	now, before map[*wire.Process]*onNode
	only        tally.Only
}

// onNode is what is found on a node.
type onNode struct {
	items []*Item
	users map[string]int // number of their processes on the GPUs to show, or on no known GPU
}

type processesKey struct{}

// newProcesses reuses what was found before: reading thousands of processes takes long, so each list of a node is read
// only once.
func newProcesses(s *part.Scene) *processes {
	return part.Onward(s, processesKey{}, func(before *processes) *processes {
		all := &processes{now: map[*wire.Process]*onNode{}, only: s.Only}
		if before != nil {
			all.before = before.now
		}
		return all
	})
}

// findOnNode returns what is found on a node.
func (p *processes) findOnNode(n *cluster.Node) *onNode {
	if len(n.Processes) == 0 {
		return &onNode{}
	}
	first := &n.Processes[0]
	known := p.now[first]
	if known == nil {
		if known = p.before[first]; known == nil {
			known = &onNode{processesOn(n), usersOn(n, p.only)}
		}
		p.now[first] = known
	}
	return known
}

// usersOn counts the processes of each user.
func usersOn(n *cluster.Node, only tally.Only) map[string]int {
	counts, known := map[string]int{}, map[wire.ProcessID]bool{}
	for i := range n.Processes {
		p := &n.Processes[i]
		id := wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}
		if g := n.GPUAt(p.GPU); known[id] || g != nil && !only.Shows(g) {
			continue
		}
		known[id] = true
		counts[p.User]++
	}
	return counts
}

func processesOn(n *cluster.Node) []*Item {
	items, processes := make([]Item, len(n.Processes)), make([]nav.Process, len(n.Processes))
	for i := range n.Processes {
		p := &n.Processes[i]
		processes[i] = nav.Process{Node: n.Name, ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks},
			GPU: p.GPU}
		text, also := "PID "+strconv.Itoa(p.PID), strconv.Itoa(p.PID)
		if p.Rank != nil {
			rank := "rank " + strconv.Itoa(p.Rank.Rank)
			text, also = rank+"  "+text, rank+", "+also
		}
		items[i] = Item{Text: text, Also: also, Note: n.Name + " " + p.User + " " + p.Command,
			Go: nav.Go{Page: keys.OnProcesses, Node: n.Name, Process: &processes[i]}}
	}
	return Pointers(items)
}
