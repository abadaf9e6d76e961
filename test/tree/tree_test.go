package tree

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/demo"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	interval  = 3 * time.Second
	storyGPUs = 4
)

// story is what the nodes of the demo's training job have told in some minutes: some of them are silent, refuse, or
// lose a GPU.
func story(t *testing.T, nodes int) (events []cluster.Event, names []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	begin := time.Now()
	err := demo.New(nodes, storyGPUs, demo.Seed, interval, 3*time.Minute).Run(ctx, func(e cluster.Event) {
		switch {
		case !e.At.Before(begin):
			cancel()
		case e.Discovery != nil && len(e.Discovery.Jobs) > 0:
			names = e.Discovery.Jobs[0].Nodes
		default:
			events = append(events, e)
		}
	})
	events = slices.DeleteFunc(events, func(e cluster.Event) bool { return !slices.Contains(names, e.Node) })
	if err != nil || len(names) != nodes || len(events) < 40*nodes {
		t.Fatalf("%d events of %d nodes, %v", len(events), len(names), err)
	}
	return events, names
}

// grown is a tree, from the nodes up.
type grown struct {
	gatherers []*Gatherer
	by        map[string]*Gatherer
	joints    [][]*Joint // by level; the last one is the root
	fan       int
}

func grow(names []string, fan int, at time.Time) *grown {
	g := &grown{by: map[string]*Gatherer{}, fan: fan}
	var sizes []int
	for part := range slices.Chunk(names, fan) {
		at := NewGatherer(part, storyGPUs, interval, at)
		g.gatherers = append(g.gatherers, at)
		sizes = append(sizes, len(part))
		for _, name := range part {
			g.by[name] = at
		}
	}
	for _, level := range Levels(sizes, fan) {
		var joints []*Joint
		for _, below := range level {
			joints = append(joints, NewJoint(below))
		}
		g.joints = append(g.joints, joints)
	}
	return g
}

// tick returns what the root has read.
func (g *grown) tick(t *testing.T, at time.Time) []Summary {
	t.Helper()
	var texts [][]byte
	for _, from := range g.gatherers {
		texts = append(texts, bytes.Clone(from.Pass(at)))
	}
	for _, level := range g.joints[:len(g.joints)-1] {
		var up [][]byte
		for i, part := range slices.Collect(slices.Chunk(texts, g.fan)) {
			text, err := level[i].Pass(part)
			if err != nil {
				t.Fatal(err)
			}
			up = append(up, bytes.Clone(text))
		}
		texts = up
	}
	all, err := g.joints[len(g.joints)-1][0].Read(texts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheRootKnowsWhatASnapshotSays: what has come through the tree is what package tally works out of a Snapshot of
// all nodes, and the same problems.
func TestTheRootKnowsWhatASnapshotSays(t *testing.T) {
	events, names := story(t, 16)
	at := events[0].At
	tree := grow(names, 3, at) // 6 gatherers, 2 joints, the root
	if len(tree.gatherers) != 6 || len(tree.joints) != 2 || len(tree.joints[0]) != 2 {
		t.Fatalf("%d gatherers, %d levels above", len(tree.gatherers), len(tree.joints))
	}
	store := cluster.NewStore(interval, health.Rules(health.Defaults()))
	store.Apply(discovery(names, storyGPUs, at))
	ticks, troubled, unwell := 0, 0, 0
	for _, e := range events {
		for ; e.At.Sub(at) >= interval; at = at.Add(interval) {
			got := tree.tick(t, at)
			snap := store.Snapshot(at)
			want := make([]Summary, len(names))
			summarize(snap, Job, names, want)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("tick %d: %s is %v, and %v in the Snapshot", ticks, names[i], got[i], want[i])
				}
				if want[i][problems] != 0 {
					troubled++
				}
				if want[i][state] != reporting {
					unwell++
				}
			}
			compareTotals(t, Total(got), snap)
			ticks++
		}
		tree.by[e.Node].Apply(e)
		store.Apply(e)
	}
	if ticks < 50 || troubled < ticks || troubled > ticks*len(names)/2 || unwell == 0 {
		t.Errorf("%d ticks, on which %d nodes had problems, and %d did not report: not what there is to compare", ticks,
			troubled, unwell)
	}
}

// compareTotals compares totals with those of package tally: sums of rounded numbers differ by a half for each node at
// most.
func compareTotals(t *testing.T, got Summary, s *cluster.Snapshot) {
	t.Helper()
	job := &s.Jobs[0]
	own := tally.Fresh(s, job)
	want := tally.Total(own)
	slack := float64(job.Reporting) / 2
	if int(got[state]) != job.Reporting || int(got[gpus]) != want.GPUs || int(got[utilCount]) != want.Util.Count {
		t.Fatalf("%d nodes, %d GPUs, %d with a utilization; want %d, %d, %d", got[state], got[gpus], got[utilCount],
			job.Reporting, want.GPUs, want.Util.Count)
	}
	for _, c := range []struct {
		name  string
		got   int64
		want  float64
		slack float64
	}{
		{"utilization", got[util], want.Util.Value * float64(want.Util.Count), 1e-6},
		{"memory in use", got[used], want.Used.Value / (1 << 20), slack},
		{"memory", got[memory], want.Memory.Value / (1 << 20), slack},
		{"power", got[power], want.Power.Value, slack},
		{"power limit", got[powerLimit], want.PowerLimit.Value, slack},
		{"lowest utilization", got[lowest], tally.Lowest(own, metric.Util).Value, 0.5},
		{"temperature", got[hottest], want.Temperature.Value, 0.5},
	} {
		if want.GPUs > 0 && !(math.Abs(float64(c.got)-c.want) <= c.slack) {
			t.Fatalf("%s: %d, want %v", c.name, c.got, c.want)
		}
	}
}

// TestReportsThroughTheWire: a Gatherer that reads what probes write says the same as one that is told.
func TestReportsThroughTheWire(t *testing.T) {
	all, err := Pasts(3, storyGPUs, 30, interval)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c"}
	begin := all[0].events[0].At
	told, read := NewGatherer(names, storyGPUs, interval, begin), NewGatherer(names, storyGPUs, interval, begin)
	for i, name := range names {
		var lines bytes.Buffer
		lines.Write(all[i].Hello)
		for _, line := range all[i].Changes {
			lines.Write(line)
		}
		r := wire.NewReader(&lines)
		for _, e := range all[i].events {
			var m wire.Message
			if err := r.Next(&m); err != nil {
				t.Fatal(err)
			}
			read.Take(name, m, e.At)
			e.Node = name
			told.Apply(e)
		}
	}
	end := all[0].events[len(all[0].events)-1].At
	if got, want := fmt.Sprint(read.Look(end)), fmt.Sprint(told.Look(end)); got != want ||
		read.all[0][gpus] != storyGPUs || read.all[0][state] != reporting {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		gatherers, fan int
		want           string
	}{
		{1, 50, "1"}, {20, 50, "1"}, {200, 50, "4 1"}, {455, 22, "21 1"}, {2501, 50, "51 2 1"},
	} {
		got := ""
		for _, level := range Levels(slices.Repeat([]int{c.fan}, c.gatherers), c.fan) {
			sum := 0
			for _, joint := range level {
				for _, n := range joint {
					sum += n
				}
			}
			if sum != c.gatherers*c.fan {
				t.Errorf("%d gatherers: a level of %d nodes", c.gatherers, sum)
			}
			got += fmt.Sprint(len(level), " ")
		}
		if got != c.want+" " {
			t.Errorf("%d gatherers by %d: %q, want %q", c.gatherers, c.fan, got, c.want)
		}
	}
}
