package ui

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// sharedByTwo is one node that NVML lists in the order of the minor numbers 2, 0, 3, 1. The job 1 has 2 and 3, the job
// 2 has 1, and somebody works on 0. The utilization is 11, 22, 33, 44 % by minor number, the process ids are 7000 and
// the minor number, and the GPU 3 has memory errors.
func sharedByTwo() *cluster.Snapshot {
	s := store.New(3*time.Second, words.Rules(words.Defaults()))
	apply := func(e cluster.Event) {
		e.At = uitest.Ago(time.Second)
		s.Apply(e)
	}
	apply(cluster.Event{Discovery: &cluster.Discovery{Command: "squeue", Answered: uitest.Now, Asked: uitest.Now,
		Jobs: []cluster.Job{
			{ID: "1", Name: "one", User: "alice", Nodes: []string{"n"}, Minors: map[string][]int{"n": {2, 3}}},
			{ID: "2", Name: "two", User: "carol", Nodes: []string{"n"}, Minors: map[string][]int{"n": {1}}},
		}}})
	apply(cluster.Event{Node: "n", Try: &cluster.Try{Interval: 3 * time.Second}})
	hello, report := &wire.Hello{}, &wire.Report{Listed: true}
	for index, minor := range []int{2, 0, 3, 1} {
		hello.GPUs = append(hello.GPUs, wire.Card{Index: index, UUID: "GPU-" + strconv.Itoa(minor), Minor: new(minor)})
		g := wire.GPU{Index: index}
		uitest.Set(&g, uitest.Values{"util": float64(11 * (minor + 1)), "temp": float64(40 + minor)})
		if minor == 3 {
			uitest.Set(&g, uitest.Values{"ecc": 5})
		}
		report.GPUs = append(report.GPUs, g)
		user := map[int]string{0: "bob", 1: "carol"}[minor]
		if user == "" {
			user = "alice"
		}
		report.Processes = append(report.Processes, wire.Process{PID: 7000 + minor, GPU: index, Type: "C",
			Identity: wire.Identity{User: user, Command: "work"}})
	}
	apply(cluster.Event{Node: "n", Hello: hello})
	apply(cluster.Event{Node: "n", Report: report})
	return s.Snapshot(uitest.Now)
}

// The number of a GPU is the device's minor number on every screen, whatever NVML's index of it is, and what is known
// by the one is not looked for by the other.
func TestNumbersAreMinors(t *testing.T) {
	node := shot{name: "node", snap: sharedByTwo, view: func(v *view) { v.node().Processes = node.ShowOn }}
	overview := shot{name: "overview", snap: sharedByTwo, view: func(v *view) { v.on = keys.OnOverview }}
	for _, test := range []struct {
		of   shot
		line string // one line matches
	}{
		{node, `^    0 .* 40°C .* 11% .*bob$`},
		{node, `^    1 .* 41°C .* 22% .*carol 2$`},
		{node, `^    2 .* 42°C .* 33% `},
		{node, `^ ▲  3 .* 43°C .* 44% .*ECC:5$`},
		{node, `^    0 +7000 C   bob .*work$`},
		{node, `^    1 +7001 C   carol .*work$`},
		{node, `^    2 +7002 C   alice .*work$`},
		{node, `^    3 +7003 C   alice .*work$`},
		{node, `^ ▲   >1s  n GPU3 +5 uncorrectable ECC errors`},
		{overview, `^   NODE +0    1    2    3 `},
		{overview, `^▸▲ n +11   22   33   44E .* GPU3 5 ECC errors`},
		{overview, `Utilization %, lowest to median  \(n GPU2\)`},
		{overview, `Hottest °C  \(n GPU3\)`},
	} {
		lines := linesOf(test.of, 140, 50)
		if !slices.ContainsFunc(lines, regexp.MustCompile(test.line).MatchString) {
			t.Errorf("%s: no line matches %s:\n%s", test.of.name, test.line, strings.Join(lines, "\n"))
		}
	}
	if lines := linesOf(node, 140, 50); !inOrder(lines, "7002", "7003", "7000", "7001") {
		t.Errorf("the processes are not ordered by the job's GPUs and then the others:\n%s", strings.Join(lines, "\n"))
	}
}

// If not all GPUs fit, the GPU with the problem is there.
func TestTheWorstGPUHasTheRoom(t *testing.T) {
	few := shot{name: "node", snap: sharedByTwo, view: func(*view) {}}
	for h := 5; h < 8; h++ {
		lines := linesOf(few, 80, h)
		if text := strings.Join(lines, "\n"); !strings.Contains(text, "ECC:5") {
			t.Errorf("%d rows:\n%s", h, text)
		}
	}
}

// inOrder reports whether the words come one line below the other.
func inOrder(lines []string, words ...string) bool {
	for _, line := range lines {
		if len(words) > 0 && strings.Contains(line, words[0]) {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// Processes on one GPU are in the order of their ids, whatever order they were reported in.
func TestProcessesAreOrderedByID(t *testing.T) {
	s := shot{name: "node", snap: func() *cluster.Snapshot {
		snap := sharedByTwo()
		n := *snap.Nodes["n"]
		n.Processes = nil
		for _, pid := range []int{702, 90011, 31, 701} {
			n.Processes = append(n.Processes,
				wire.Process{PID: pid, GPU: 0, Type: "C", Identity: wire.Identity{Command: "work"}})
		}
		snap.Nodes["n"] = &n
		return snap
	}, view: func(v *view) { v.node().Processes = node.ShowOn }}
	if lines := linesOf(s, 120, 40); !inOrder(lines, " 31 C", " 701 C", " 702 C", " 90011 C") {
		t.Errorf("the processes stand in another order:\n%s", strings.Join(lines, "\n"))
	}
}

// A list that is older than the last report says how old it is, also one of no processes.
func TestOldListSaysItsAge(t *testing.T) {
	for want, change := range map[string]func(n *cluster.Node){
		"9 processes, sorted by GPU ─":                 func(*cluster.Node) {},
		"9 processes, sorted by GPU, listed 40s ago ─": func(n *cluster.Node) { n.ListedAt = uitest.Ago(40 * time.Second) },
		"─ listed 2m ago ─": func(n *cluster.Node) {
			n.ListedAt,
				n.Processes = uitest.Ago(2*time.Minute), nil
		},
	} {
		s := shot{name: "node", snap: func() *cluster.Snapshot {
			snap := uitest.Fixture()
			change(snap.Nodes["gpu-n02"])
			return snap
		}, view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }}
		if text := strings.Join(linesOf(s, 120, 40), "\n"); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A GPU whose driver names no threshold is hot from 85 °C on; one whose driver does is hot from 2 °C below it.
func TestHot(t *testing.T) {
	for _, test := range []struct {
		slowdown float64 // 0: not known
		temp     float64
		hot      bool
	}{
		{0, 84, false}, {0, 85, true}, {95, 85, false}, {95, 92, false}, {95, 93, true}, {80, 77, false},
		{80, 78, true},
	} {
		frame := func(calm bool) string {
			return string(darkTheme.Encode(nil, shot{name: "hot", snap: func() *cluster.Snapshot {
				snap := uitest.Fixture()
				g := &snap.Nodes["gpu-n01"].GPUs[0]
				g.Card.Values = metric.Values{}
				switch {
				case calm:
					g.Card.Values.Set(metric.Slowdown, 1000)
				case test.slowdown > 0:
					g.Card.Values.Set(metric.Slowdown, test.slowdown)
				}
				uitest.Set(g.GPU, uitest.Values{"temp": test.temp})
				return snap
			}, view: func(*view) {}}.take(120, 24)))
		}
		if got := frame(false) != frame(true); got != test.hot {
			t.Errorf("%g °C with a threshold of %v: shown as hot %v, want %v", test.temp, test.slowdown, got, test.hot)
		}
	}
}
