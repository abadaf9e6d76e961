package store

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const poll = 3 * time.Second

// kept is the history of a number from its first sample on.
func kept(h history.History, id metric.ID) string {
	newest, _ := h.Newest()
	tail := h.Tail(nil, id, newest, history.Len(poll, 0))
	var b strings.Builder
	for _, v := range tail {
		if b.Len() > 0 || v == v {
			b.WriteString(" " + strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

func gpu(numbers map[metric.ID]float64) wire.GPU { return wire.GPU{Values: metric.Make(numbers)} }

func util(percent float64) metric.Values {
	return metric.Make(map[metric.ID]float64{metric.Util: percent})
}

func TestHistory(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 2)
	w.report(0, "a", 10, -1)
	w.report(3, "a", 20, 7)
	w.report(12.1, "a", 30, 8) // two polls are missing
	w.Apply(cluster.Event{At: at(13), Node: "a", Report: &wire.Report{MonoMS: 14000, OffBeat: true,
		GPUs: []wire.GPU{{Index: 0, Values: util(99)}}}})
	w.report(15, "a", 40, 9)
	gpus := w.node(15, "a").GPUs
	for i, want := range []string{"10 20 NaN NaN 30 40", "7 NaN NaN 8 9"} {
		if got := kept(gpus[i].History, metric.Util); got != want {
			t.Errorf("GPU%d: history %s, want %s", i, got, want)
		}
	}
}

// A report that is on time by the node's own clock leaves no gap, however late it arrives.
func TestHistoryOfAJitteryLink(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	stalls := []float64{0.1, 2.9, 0, 1.5, 8.9, 5.9, 2.9, 0, 2.99, 0.01, 0, 0, 0, 0, 0, 0, 8.9, 5.9, 2.9, 0}
	var want []string
	for i, late := range stalls {
		want = append(want, strconv.Itoa(i))
		sec := float64(3 * i)
		w.Apply(cluster.Event{At: at(sec + late), Node: "a", Report: &wire.Report{
			MonoMS: int64(sec*1000) + int64(i%3) - 1, GPUs: []wire.GPU{{Values: util(float64(i))}},
		}})
	}
	if got := kept(w.node(60, "a").GPUs[0].History, metric.Util); got != strings.Join(want, " ") {
		t.Errorf("history %s, want %s", got, want)
	}
}

// A report may be half a poll early or late: its bin is the nearest to its time.
func TestMissingPollsAreRounded(t *testing.T) {
	for _, test := range []struct {
		after float64 // s, at a poll of 3 s
		want  string
	}{
		{0.1, "1.5"}, {1.4, "1.5"}, {2.9, "1 2"}, {4.4, "1 2"}, {4.6, "1 NaN 2"}, {5.9, "1 NaN 2"}, {7.4, "1 NaN 2"},
		{7.6, "1 NaN NaN 2"},
	} {
		w := newWorld()
		w.try(0, "a")
		w.hello(0, "a", 1)
		w.report(0, "a", 1)
		w.report(test.after, "a", 2)
		if got := kept(w.node(test.after, "a").GPUs[0].History, metric.Util); got != test.want {
			t.Errorf("%g s later: history %s, want %s", test.after, got, test.want)
		}
	}
}

// The bins of two nodes line up by the time of arrival, whatever their clocks say.
func TestHistoriesLineUp(t *testing.T) {
	w := newWorld()
	for i, name := range []string{"a", "b"} {
		w.try(0, name)
		w.hello(0, name, 1)
		for sec := float64(30 * i); sec < 60; sec += 3 {
			w.Apply(cluster.Event{At: at(sec + float64(i)), Node: name, Report: &wire.Report{
				MonoMS: int64(sec*1000) + int64(i*123456), GPUs: []wire.GPU{{Values: util(sec)}},
			}})
		}
	}
	s := w.Snapshot(at(60))
	a, b := &s.Nodes["a"].GPUs[0].History, &s.Nodes["b"].GPUs[0].History
	newest, _ := a.Newest()
	if other, _ := b.Newest(); other != newest || newest != at(57).UnixNano()/int64(poll) {
		t.Fatalf("the newest bins are %d and %d", newest, other)
	}
	ofA, ofB := a.Tail(nil, metric.Util, newest, 20), b.Tail(nil, metric.Util, newest, 20)
	for i := range ofA {
		if young := i < 10; ofA[i] != float32(3*i) || young != (ofB[i] != ofB[i]) || !young && ofB[i] != ofA[i] {
			t.Errorf("bin %d: %v and %v", i, ofA[i], ofB[i])
		}
	}
	for _, tc := range []struct {
		newest int64
		n      int
		want   []float32
	}{
		{newest - 1, 2, []float32{51, 54}}, {newest - 18, 2, []float32{0, 3}},
		{newest - 1<<40, 1, []float32{history.Gap}},
		{newest + 1, 2, []float32{57, history.Gap}}, {newest + 1<<40, 1, []float32{history.Gap}},
		{newest, 0, []float32{}},
	} {
		got := a.Tail([]float32{7, 7, 7}, metric.Util, tc.newest, tc.n)
		if !slices.EqualFunc(got, tc.want, func(x, y float32) bool { return x == y || x != x && y != y }) {
			t.Errorf("%d bins that end at %d: %v, want %v", tc.n, tc.newest-newest, got, tc.want)
		}
	}
}

// A bin is a second at least, and holds the mean of its samples.
func TestHistoryOfFastPolls(t *testing.T) {
	w := world{New(time.Second/4, fewRules)}
	w.try(0, "a")
	w.hello(0, "a", 1)
	var all []string
	for i := range 8 {
		w.report(float64(i)/4, "a", 10*i)
		all = append(all, kept(w.node(2, "a").GPUs[0].History, metric.Util))
	}
	// the first sample stands in the middle of its bin
	if got, want := strings.Join(all, ", "), "0, 5, 5 20, 5 25, 5 30, 5 35, 5 35 60, 5 35 65"; got != want {
		t.Errorf("history %s, want %s", got, want)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	const n = 1203
	for i := range n {
		w.report(float64(3*i), "a", i%101)
	}
	h := w.node(0, "a").GPUs[0].History
	all := strings.Fields(kept(h, metric.Util))
	if want := strconv.Itoa((n - 1) % 101); len(all) != history.Len(poll, 0) || all[len(all)-1] != want {
		t.Errorf("%d samples are kept, the newest %s, want %s", len(all), all[len(all)-1], want)
	}
}

// A node's clock that begins anew, runs away or stands still is not believed; the time of arrival counts then.
func TestHistoryWithAWrongClock(t *testing.T) {
	for name, tc := range map[string]struct {
		mono func(i int) int64
		want string
	}{
		"booted":       {func(i int) int64 { return int64(1e9) - int64(i/2)*999e6 + int64(i)*3000 }, "0 1 2 3 4 5"},
		"runs away":    {func(i int) int64 { return int64(i) << 50 }, "0 1 2 3 4 5"},
		"overflows":    {func(i int) int64 { return []int64{-1 << 63, 1<<63 - 1}[i%2] }, "0.5 NaN 2.5 NaN 4.5"},
		"stands still": {func(int) int64 { return 7 }, "2.5"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.try(0, "a")
			w.hello(0, "a", 1)
			for i := range 6 {
				w.Apply(cluster.Event{At: at(float64(3 * i)), Node: "a",
					Report: &wire.Report{MonoMS: tc.mono(i), GPUs: []wire.GPU{{Values: util(float64(i))}}}})
			}
			if got := kept(w.node(20, "a").GPUs[0].History, metric.Util); got != tc.want {
				t.Errorf("history %s, want %s", got, tc.want)
			}
		})
	}
}

// A clock that stays behind (the node slept) is set anew after a while.
func TestHistoryOfANodeThatSlept(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.report(0, "a", 1)
	for sec := 3.0; sec < 60; sec += 3 {
		w.Apply(cluster.Event{At: at(1000 + sec), Node: "a", Report: &wire.Report{MonoMS: 1000 + int64(sec*1000),
			GPUs: []wire.GPU{{Values: util(2)}}}})
	}
	newest, _ := new(w.node(1100, "a").GPUs[0].History).Newest()
	if want := at(1057).UnixNano() / int64(poll); newest != want {
		t.Errorf("the newest bin is %d after the one of its arrival", want-newest)
	}
}

// When the clock of this host is set back, the past moves with it.
func TestHistoryWhenTimeGoesBack(t *testing.T) {
	w := newWorld()
	w.try(3600, "a")
	w.hello(3600, "a", 1)
	for i, sec := range []float64{3600, 3603, 6, 9} {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &wire.Report{MonoMS: int64(3000 * i),
			GPUs: []wire.GPU{{Values: util(float64(i))}}}})
	}
	h := w.node(10, "a").GPUs[0].History
	if newest, _ := h.Newest(); kept(h, metric.Util) != "0 1 2 3" || newest != at(9).UnixNano()/int64(poll) {
		t.Errorf("history %s up to bin %d", kept(h, metric.Util), newest)
	}
}

// A lost session leaves a gap as long as its absence, whatever the next session's clock says.
func TestHistoryOverTwoSessions(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.report(0, "a", 1)
	w.down(1, "a", reach.ClassClosed)
	w.try(8, "a")
	w.hello(9, "a", 1)
	w.Apply(cluster.Event{At: at(10), Node: "a",
		Report: &wire.Report{MonoMS: 2000, GPUs: []wire.GPU{{Index: 0, Values: util(2)}}}})
	w.Apply(cluster.Event{At: at(13), Node: "a",
		Report: &wire.Report{MonoMS: 5000, GPUs: []wire.GPU{{Index: 0, Values: util(3)}}}})
	if got := kept(w.node(13, "a").GPUs[0].History, metric.Util); got != "1 NaN NaN 2 3" {
		t.Errorf("history %s", got)
	}
}

// A driver that goes away and comes back leaves a gap, and the history goes on.
func TestHistoryOverAnAbsentDriver(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.report(0, "a", 10)
	w.Apply(cluster.Event{At: at(1), Node: "a", Hello: &wire.Hello{Fault: "driver not loaded"}})
	w.report(3, "a")
	w.report(6, "a")
	w.hello(7, "a", 1)
	w.report(9, "a", 20)
	if got := kept(w.node(9, "a").GPUs[0].History, metric.Util); got != "10 NaN NaN 20" {
		t.Errorf("history %s", got)
	}
}

func TestHistoriesOfEveryKind(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	all := map[metric.ID]float64{}
	for _, id := range metric.Kept {
		all[id] = float64(10 + id)
	}
	w.sample(0, "a", gpu(all))
	w.sample(3, "a", gpu(nil))
	w.sample(6, "a", gpu(all))
	for _, id := range metric.Kept {
		number := strconv.Itoa(10 + int(id))
		if got := kept(w.node(6, "a").GPUs[0].History, id); got != number+" NaN "+number {
			t.Errorf("history of %v: %s", id, got)
		}
	}
	if got := kept(w.node(6, "a").GPUs[0].History, metric.ECCUncorrected); got != "" {
		t.Errorf("a number that is not kept has the history %s", got)
	}
}
