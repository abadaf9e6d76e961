package health

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// fleet is a job on nodes that report every 3 s.
type fleet struct {
	*store.Store
	nodes []string
}

func newFleet(nodes int) *fleet {
	f := &fleet{Store: store.New(3*time.Second, Rules(Defaults()))}
	job := cluster.Job{ID: "1", Minors: map[string][]int{}}
	for i := range nodes {
		name := fmt.Sprintf("n%02d", i)
		f.nodes, job.Minors[name] = append(f.nodes, name), []int{0}
	}
	job.Nodes = f.nodes
	f.Apply(cluster.Event{At: t0, Discovery: &cluster.Discovery{Asked: t0, Answered: t0, Jobs: []cluster.Job{job}}})
	f.connect(0)
	return f
}

// connect begins a session with each node in that second.
func (f *fleet) connect(sec int) {
	at := t0.Add(time.Duration(sec) * time.Second)
	for _, name := range f.nodes {
		f.Apply(cluster.Event{At: at, Node: name, Try: &cluster.Try{Interval: 3 * time.Second}})
		f.Apply(cluster.Event{At: at, Node: name, Hello: &wire.Hello{GPUs: []wire.Card{{Minor: new(0), UUID: name}}}})
	}
}

// report lets these nodes report at these times, in seconds, up to the last.
func (f *fleet) report(nodes []string, from, to int) {
	for sec := from; sec <= to; sec += 3 {
		for _, name := range nodes {
			f.Apply(cluster.Event{At: t0.Add(time.Duration(sec) * time.Second), Node: name,
				Report: &wire.Report{MonoMS: int64(1000 * (sec + 1)), GPUs: []wire.GPU{{}}}})
		}
	}
}

func (f *fleet) down(nodes []string, sec int, class reach.Class) {
	for _, name := range nodes {
		f.Apply(cluster.Event{At: t0.Add(time.Duration(sec) * time.Second), Node: name,
			Down: &cluster.Down{Failure: reach.Failure{Class: class, Short: "x"}}})
	}
}

// said counts the findings of each kind: present, cleared behind a slash, and the older ones.
func (f *fleet) said(sec int) string {
	s := f.Snapshot(t0.Add(time.Duration(sec) * time.Second))
	count := func(list []cluster.Finding, holds bool) string {
		kinds, order := map[cluster.Kind]int{}, []cluster.Kind{}
		for i := range list {
			if k := list[i].Kind; list[i].Holds() == holds {
				if kinds[k] == 0 {
					order = append(order, k)
				}
				kinds[k]++
			}
		}
		var words []string
		for _, k := range order {
			words = append(words, fmt.Sprintf("%d %s", kinds[k], k))
		}
		return strings.Join(words, ", ")
	}
	j := &s.Jobs[0]
	return strings.TrimSpace(count(j.Findings, true) + " / " + count(j.Findings, false) + " / " +
		count(j.Cleared, false))
}

// The silence of all nodes at once is one problem, also during their return and at its end. Nodes that stay away have
// problems of their own.
func TestSilence(t *testing.T) {
	all := func(f *fleet) []string { return f.nodes }
	for _, test := range []struct {
		name  string
		story func(f *fleet)
		says  map[int]string
	}{
		{"a host that was suspended", func(f *fleet) { f.report(f.nodes, 3, 60) },
			map[int]string{60: "/  /", 69: "/  /", 72: "1 all_silent /  /", 3600: "1 all_silent /  /"}},
		{"half are back, then all", func(f *fleet) {
			f.report(f.nodes, 3, 60)
			f.report(f.nodes[:10], 120, 129)
			f.report(f.nodes, 132, 300)
		}, map[int]string{132: "/ 1 all_silent /", 300: "/  / 1 all_silent"}},
		{"some do not come back", func(f *fleet) { f.report(f.nodes, 3, 60); f.report(f.nodes[:18], 120, 300) },
			map[int]string{301: "2 node_stale /  / 1 all_silent"}},
		{"they are late", func(f *fleet) { f.report(f.nodes, 3, 60); f.report(f.nodes[:18], 120, 126) },
			map[int]string{127: "1 all_silent /  /"}},
		{"the connections are lost with it",
			func(f *fleet) { f.report(f.nodes, 3, 60); f.down(all(f), 62, reach.ClassClosed) },
			map[int]string{65: "1 all_silent /  /", 300: "1 all_silent /  /"}},
		{"the connections are lost with it, and made again", func(f *fleet) {
			f.report(f.nodes, 3, 60)
			f.down(all(f), 62, reach.ClassClosed)
			f.connect(118)
			f.report(f.nodes, 120, 129)
		}, map[int]string{130: "/ 1 all_silent /"}},
		{"no way leads there any more", func(f *fleet) {
			f.report(f.nodes, 3, 60)
			f.down(all(f), 90, reach.ClassTimeout)
		}, map[int]string{300: "1 all_silent /  /"}},
		{"the nodes say why", func(f *fleet) { f.report(f.nodes, 3, 60); f.down(all(f), 62, reach.ClassAdopt) },
			map[int]string{300: "20 node_failed /  /"}},
		{"one had failed before", func(f *fleet) {
			f.report(f.nodes, 3, 30)
			f.down(f.nodes[:1], 31, reach.ClassAdopt)
			f.report(f.nodes[1:], 33, 60)
		}, map[int]string{72: "1 node_failed, 1 all_silent /  /"}},
		{"one goes on", func(f *fleet) { f.report(f.nodes, 3, 60); f.report(f.nodes[:1], 63, 120) },
			map[int]string{120: "19 node_stale /  /"}},
	} {
		f := newFleet(20)
		test.story(f)
		for sec, want := range test.says {
			if got := f.said(sec); got != want {
				t.Errorf("%s, after %d s: %q, want %q", test.name, sec, got, want)
			}
		}
		if fork := (&fleet{Store: f.Fork(), nodes: f.nodes}); fork.said(301) != f.said(301) {
			t.Errorf("%s: a fork says %q", test.name, fork.said(301))
		}
	}
	one := newFleet(1)
	one.report(one.nodes, 3, 60)
	if got := one.said(90); got != "1 node_stale /  /" {
		t.Errorf("of one node: %q", got)
	}
}

// A time without nodes was no silence: the next job begins without the problem of an earlier time.
func TestNoSilenceWithoutJobs(t *testing.T) {
	f := newFleet(2)
	f.report(f.nodes, 3, 60)
	at := func(sec int) time.Time { return t0.Add(time.Duration(sec) * time.Second) }
	f.Apply(cluster.Event{At: at(62), Discovery: &cluster.Discovery{Asked: at(62), Answered: at(62)}})
	for _, name := range f.nodes {
		f.Apply(cluster.Event{At: at(63), Node: name, Gone: true})
	}
	next := cluster.Job{ID: "2", Start: at(3600), Nodes: f.nodes,
		Minors: map[string][]int{f.nodes[0]: {0}, f.nodes[1]: {0}}}
	f.Apply(cluster.Event{At: at(3600), Discovery: &cluster.Discovery{Asked: at(3600), Answered: at(3600),
		Jobs: []cluster.Job{next}}})
	f.connect(3600)
	f.report(f.nodes, 3601, 3640)
	for _, sec := range []int{3601, 3605, 3640, 3700} {
		f.report(f.nodes, 3640, sec)
		if got := f.said(sec); got != "/  /" {
			t.Errorf("after %d s: %q, want nothing", sec, got)
		}
	}
}
