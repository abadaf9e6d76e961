package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// cards are GPUs as NVML lists them: "5" has the minor number 5, "x" gives no handle, "?5" has the UUID of 5 and no
// minor number.
func cards(list string) []wire.Card {
	var out []wire.Card
	for i, word := range strings.Fields(list) {
		c := wire.Card{Index: i}
		var minor int
		if n, _ := fmt.Sscanf(word, "%d", &minor); n == 1 {
			c.Minor, c.UUID, c.PCIBus = new(minor), "GPU-"+word, "bus-"+word
		} else if number, found := strings.CutPrefix(word, "?"); found {
			c.UUID = "GPU-" + number
		} else {
			c.Lost, c.LostID = "GPU is lost", wire.LostFellOff
		}
		out = append(out, c)
	}
	return out
}

// Lost GPUs without a number get a number if something proves it.
func TestPlaces(t *testing.T) {
	for _, tc := range []struct {
		name   string
		job    string // the cgroup of the probe
		minors [][]int
		hellos []string // the last one counts
		want   string   // numbers by index
		owned  string   // GPUs of each job, by index
	}{
		{"four of a whole node", "", [][]int{{0, 1, 2, 3, 4, 5, 6, 7}}, []string{"0 x x x x 5 6 7"}, "0 1 2 3 4 5 6 7",
			"01234567"},
		{"two of a shared node", "", [][]int{{0, 1}, {4, 5}}, []string{"0 x 2 3 4 x 6 7"}, "0 1 2 3 4 5 6 7", "01 45"},
		{"one of the job, in its cgroup", "1", [][]int{{0, 1, 5}}, []string{"0 1 x"}, "0 1 5", "012"},
		{"the same, of another list", "1", [][]int{{2, 3}}, []string{"x 3"}, "2 3", "01"},
		{"in a cgroup, minors not known", "1", [][]int{nil}, []string{"0 1 x"}, "0 1 -1", "012"},
		{"two lost, three lack", "1", [][]int{{0, 1, 2, 3}}, []string{"0 x x"}, "0 -1 -1", "0"},
		{"numbers that are no indices", "", [][]int{{7}}, []string{"1 2 3 x"}, "1 2 3 -1", ""},
		{"a loss at run time, by its index", "", [][]int{{7}}, []string{"4 5 6 7", "4 5 6 x"}, "4 5 6 7", "3"},
		{"two at run time, by their indices", "1", [][]int{{4, 5, 6, 7}}, []string{"7 6 5 4", "x 6 x 4"}, "7 6 5 4",
			"0123"},
		{"the only one that is absent", "", [][]int{{7}}, []string{"7 4 5 6", "4 5 6 x"}, "4 5 6 7", "3"},
		{"two absent, in another order", "", [][]int{{7}}, []string{"7 4 5 6", "4 x 6 x"}, "4 -1 6 -1", ""},
		{"two of which one is known", "", [][]int{{7}}, []string{"7 4", "4 x x"}, "4 -1 -1", ""},
		{"the order is another one", "", [][]int{{7}}, []string{"4 5 6 7", "6 x 4 x"}, "6 -1 4 -1", ""},
		{"of one of two jobs", "", [][]int{{2}, {5}}, []string{"x"}, "0", " "},
		{"by the UUID", "", [][]int{{7}}, []string{"7 4", "4 ?7"}, "4 7", "1"},
		{"a driver that knows no minor numbers", "", [][]int{{0, 2}}, []string{"?a ?b ?c"}, "0 1 2", "02"},
		{"that, in the job's cgroup", "1", [][]int{{2, 5}}, []string{"?a ?b"}, "2 5", "01"},
		{"that, in another job's cgroup", "9", [][]int{{2, 5}}, []string{"?a ?b"}, "-1 -1", ""},
		{"all lost", "", [][]int{{0, 1}}, []string{"x x"}, "0 1", "01"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld()
			var jobs []cluster.Job
			for i, minors := range tc.minors {
				job := cluster.Job{ID: fmt.Sprint(i + 1), Number: fmt.Sprint(i + 1), Nodes: []string{"a"}}
				if minors != nil {
					job.Minors = map[string][]int{"a": minors}
				}
				jobs = append(jobs, job)
			}
			w.jobs(0, jobs...)
			w.try(0, "a")
			for i, hello := range tc.hellos {
				w.Apply(cluster.Event{At: at(float64(i)), Node: "a",
					Hello: &wire.Hello{Job: tc.job, GPUs: cards(hello)}})
				w.report(float64(i), "a", 1, 2, 3, 4, 5, 6, 7, 8)
			}
			s := w.Snapshot(at(2))
			gpus := slices.SortedFunc(slices.Values(s.Nodes["a"].GPUs),
				func(a, b cluster.GPU) int { return a.Card.Index - b.Card.Index })
			got := make([]string, len(gpus))
			owned := make([]string, len(s.Jobs))
			for i := range gpus {
				got[i] = fmt.Sprint(gpus[i].Number)
				for k := range s.Jobs {
					if s.Jobs[k].Owns(s.Nodes["a"], &gpus[i]) {
						owned[k] += fmt.Sprint(i)
					}
				}
			}
			if strings.Join(got, " ") != tc.want || strings.Join(owned, " ") != tc.owned {
				t.Errorf("numbers %v of %q, want %s of %q", got, owned, tc.want, tc.owned)
			}
		})
	}
}

// A GPU that loses its name at run time keeps its name, its history and the age of its findings; a GPU of another job's
// cgroup is another GPU.
func TestALostGPUIsRemembered(t *testing.T) {
	w := oneNode(4, 5)
	say := func(sec float64, job, list string) *cluster.Snapshot {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Hello: &wire.Hello{Job: job, GPUs: cards(list)}})
		w.report(sec, "a", 50, 60)
		return w.Snapshot(at(sec))
	}
	say(0, "1", "5 4")
	g := say(3, "1", "x 4").Nodes["a"].GPUs[1]
	if g.Key != "GPU-5" || g.Card.PCIBus != "bus-5" || g.Lost != "GPU is lost" || g.Card.Index != 0 ||
		kept(g.History, metric.Util) != "50 50" {
		t.Errorf("%+v, history %s", g, kept(g.History, metric.Util))
	}
	w.expect(t, 3, "gpu_lost a/5 3-")
	if g := say(6, "2", "x 4").Nodes["a"].GPUs[1]; g.Number != cluster.NoNumber || g.Key != "index:0" {
		t.Errorf("in another cgroup: %+v", g)
	}
	w.expect(t, 6, "") // that cgroup may hide the GPU
}

func TestGPUsWithoutNumbersComeLast(t *testing.T) {
	w := oneNode()
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{Job: "1", GPUs: cards("x 3 x 1")}})
	w.report(0, "a", 1, 2, 3, 4)
	var got []string
	for _, g := range w.node(0, "a").GPUs {
		got = append(got, fmt.Sprintf("%d:%s", g.Number, g.Key))
	}
	if want := "1:GPU-1 3:GPU-3 -1:index:0 -1:index:2"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	w.expect(t, 0, "gpu_lost a/-1 0-, gpu_lost a/-1 0-")
	f := w.Snapshot(at(0)).Jobs[0].Findings
	if gpus := w.node(0, "a").GPUs; !f[0].Of(&gpus[2]) || f[0].Of(&gpus[3]) || !f[1].Of(&gpus[3]) {
		t.Errorf("findings are not of their GPUs: %+v", f)
	}
}

// A number below 0 is ignored: it would be that of a GPU without a number.
func TestHostileNumbers(t *testing.T) {
	w := oneNode()
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{GPUs: []wire.Card{{Index: -3, Minor: new(-1)},
		{Index: 1, UUID: "x", Minor: new(1)}, {Index: 2, UUID: "y", Minor: new(1)}}}})
	w.report(0, "a", 1, 2, 3)
	gpus := w.node(0, "a").GPUs
	if len(gpus) != 3 || gpus[0].Number != cluster.NoNumber && gpus[2].Number != cluster.NoNumber ||
		gpus[0].Key == gpus[1].Key {
		t.Errorf("%+v", gpus)
	}
}
