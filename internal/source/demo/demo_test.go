package demo

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// longPast is a past that fills the graphs.
const longPast = 10 * time.Minute

// play runs a demo for a while and returns its Events. between is called at the given moments, counted from the start.
func play(t *testing.T, d *Demo, length time.Duration, between map[time.Duration]func()) []cluster.Event {
	t.Helper()
	var events []cluster.Event
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	for at, do := range between {
		time.AfterFunc(at, do)
	}
	if err := d.Run(ctx, func(e cluster.Event) { events = append(events, e) }); err != nil {
		t.Errorf("Run: %v", err)
	}
	return events
}

// same compares numbers as they are.
var same = cmpopts.EquateComparable(metric.Values{})

func TestDemoIsDeterministic(t *testing.T) {
	run := func(seed int64) (events []cluster.Event) {
		synctest.Test(t, func(t *testing.T) {
			events = play(t, New(5, 8, seed, 3*time.Second, time.Minute),
				2*time.Minute, nil)
		})
		return events
	}
	first := run(1)
	if diff := cmp.Diff(first, run(1), same); diff != "" {
		t.Errorf("two runs of one seed differ:\n%s", diff)
	}
	if cmp.Equal(first, run(2), same) {
		t.Error("two seeds tell one story")
	}
}

// Nearly everything that the demo shows is visible at once, the rest within minutes; then all nodes but the one that
// refuses the login report again.
func TestDemoTellsItsStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		store := store.New(3*time.Second, health.Rules(health.Defaults()))
		firstSeen := map[cluster.Kind]time.Duration{}
		var jobs []int
		var controllerAway, healed bool
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		done := make(chan error)
		go func() { done <- New(8, 8, 1, 3*time.Second, longPast).Run(ctx, store.Apply) }()
		for range 239 {
			time.Sleep(time.Second)
			synctest.Wait()
			s := store.Snapshot(time.Now())
			for _, job := range s.Jobs {
				for _, f := range job.Findings {
					if _, ok := firstSeen[f.Kind]; !ok {
						firstSeen[f.Kind] = s.At.Sub(begin)
					}
				}
			}
			jobs = append(jobs, len(s.Jobs))
			controllerAway = controllerAway || s.Discovery.Failure != nil
			healed = s.Discovery.Failure == nil && s.Jobs[0].Reporting == 7
		}
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		for kind, by := range map[cluster.Kind]time.Duration{
			cluster.KindLost: time.Second, cluster.KindFailed: time.Second, cluster.KindThermal: time.Second,
			cluster.KindECC: time.Second, cluster.KindNVLinkDown: time.Second,
			cluster.KindPowerBrake: time.Second, cluster.KindStale: time.Second, cluster.KindLag: time.Second,
			cluster.KindConnecting: 5 * time.Second,
		} {
			if at, ok := firstSeen[kind]; !ok || at > by {
				t.Errorf("%s is seen at %v (ever: %t), want by %v", kind, at, ok, by)
			}
		}
		if slices.Min(jobs) != 3 || slices.Max(jobs) != 4 {
			t.Errorf("%d to %d jobs, want a fourth one to come and go", slices.Min(jobs), slices.Max(jobs))
		}
		if !controllerAway || !healed {
			t.Errorf("the controller was away: %t; all was well at the end: %t", controllerAway, healed)
		}
	})
}

// settledAt plays a demo of 4 nodes until it has just begun.
func settledAt(t *testing.T, past time.Duration) *cluster.Snapshot {
	t.Helper()
	store := store.New(3*time.Second, health.Rules(health.Defaults()))
	for _, e := range play(t, New(4, 8, 1, 3*time.Second, past), time.Millisecond, nil) {
		store.Apply(e)
	}
	return store.Snapshot(time.Now())
}

// On each GPU of the training job at most one thing happens, however few GPUs there are: the first frame shows it.
func TestDemoOfFewGPUs(t *testing.T) {
	for size, want := range map[[2]int]string{
		{1, 1}: "gpu-n01 GPU0 thermal", {1,
			8}: "gpu-n01 GPU1 nvlink_down, gpu-n01 GPU3 lag, gpu-n01 GPU5 thermal, gpu-n01 GPU6 ecc",
		{2, 4}: "gpu-n01 GPU1 nvlink_down, gpu-n01 GPU3 thermal, gpu-n02 GPU2 ecc, gpu-n02 GPU3 lag",
		{3, 4}: "gpu-n01 GPU1 nvlink_down, gpu-n01 GPU3 thermal, gpu-n02 GPU2 ecc, gpu-n02 GPU3 lag, gpu-n03 GPU2 " +
			"gpu_lost, gpu-n03 GPU3 power_brake",
	} {
		synctest.Test(t, func(t *testing.T) {
			store := store.New(3*time.Second, health.Rules(health.Defaults()))
			for _, e := range play(t, New(size[0], size[1], 1, 3*time.Second, longPast), time.Millisecond, nil) {
				store.Apply(e)
			}
			var found []string
			for _, f := range store.Snapshot(time.Now()).Jobs[0].Findings {
				if f.Holds() && f.GPU >= 0 {
					found = append(found, fmt.Sprintf("%s GPU%d %s", f.Node, f.GPU, f.Kind))
				}
			}
			slices.Sort(found)
			if got := strings.Join(found, ", "); got != want {
				t.Errorf("%d×%d: %s, want %s", size[0], size[1], got, want)
			}
		})
	}
}

// Whatever the past, no node is unreached when the demo begins, and the story is the same.
func TestDemoBeginsSettled(t *testing.T) {
	for _, past := range []time.Duration{6 * time.Second, longPast} {
		synctest.Test(t, func(t *testing.T) {
			s := settledAt(t, past)
			kinds := map[cluster.Kind]bool{}
			for _, f := range s.Jobs[0].Findings {
				if f.Holds() {
					kinds[f.Kind] = true
				}
			}
			want := map[cluster.Kind]bool{cluster.KindLost: true, cluster.KindFailed: true, cluster.KindThermal: true,
				cluster.KindECC: true, cluster.KindPowerBrake: true, cluster.KindNVLinkDown: true}
			if past == longPast { // a GPU must lag for a minute
				want[cluster.KindLag] = true
			}
			if diff := cmp.Diff(want, kinds); diff != "" {
				t.Errorf("after a past of %v (-want +got):\n%s", past, diff)
			}
			for name, n := range s.Nodes {
				if want := name != "gpu-n04"; (n.State == cluster.NodeReporting) != want ||
					(n.State == cluster.NodeFailed) == want {
					t.Errorf("after a past of %v %s is %s", past, name, n.State)
				}
			}
		})
	}
}

func TestDemoBeginsWithHistories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := settledAt(t, longPast).Nodes["gpu-n01"]
		if n.State != cluster.NodeReporting || len(n.GPUs) != 8 {
			t.Fatalf("gpu-n01 is %s with %d GPUs", n.State, len(n.GPUs))
		}
		h := &n.GPUs[0].History
		newest, _ := h.Newest()
		util := h.Tail(nil, metric.Util, newest, int(longPast/(3*time.Second))-2)
		if gap := slices.ContainsFunc(util, func(v float32) bool { return v != v }); gap {
			t.Errorf("gaps in the history: %v", util)
		}
		if slices.Max(util) < 95 || slices.Min(util) > 12 {
			t.Errorf("utilization from %v to %v, want training with checkpoints", slices.Min(util), slices.Max(util))
		}
	})
}

// The past of a large cluster is short enough to be made at once.
func TestDemoPastIsBounded(t *testing.T) {
	raced.Skip(t)
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		for _, e := range play(t, New(1024, 1, 1, 3*time.Second, longPast), time.Millisecond, nil) {
			if e.Report != nil {
				reports++
			}
		}
		if reports < pastMost/2 || reports > pastMost {
			t.Errorf("%d reports at the start, want at most %d", reports, pastMost)
		}
	})
}

// Every size that the user may ask for tells a story with possible numbers.
func TestDemoSizes(t *testing.T) {
	raced.Skip(t)
	for _, size := range [][2]int{{1, 1}, {1, 8}, {2, 2}, {3, 3}, {4, 4}, {5, 16}, {64, 8}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				last := map[string]time.Time{}
				for _, e := range play(t, New(size[0], size[1], 7, 10*time.Second, time.Minute), cycle+time.Minute,
					nil) {
					if e.At.Before(last[e.Node]) {
						t.Fatalf("time runs backwards at %v", e.At)
					}
					last[e.Node] = e.At
					if e.Report != nil {
						checkReport(t, size[1], e.Report)
					}
				}
				if want := size[0] + 3; len(last) != want { // with the shared nodes, and the discoverer
					t.Errorf("events of %d nodes, want %d", len(last), want)
				}
			})
		})
	}
}

// A GPU of the demo has each metric, or says that its model has not.
func TestDemoHasEveryMetric(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong := map[metric.ID][]string{}
		for _, n := range settledAt(t, time.Minute).Nodes {
			for i := range n.GPUs {
				g := &n.GPUs[i]
				for id := range metric.All(metric.GPU) {
					absent := id == metric.ThermalTime || // its driver tells software from hardware
						slices.Contains(g.Card.Absent["Not Supported"], id.String())
					if _, has := g.Get(id); g.Lost == "" && has == absent {
						wrong[id] = append(wrong[id], fmt.Sprintf("%s GPU%d (%t)", n.Name, i, has))
					}
				}
			}
		}
		for id, gpus := range wrong {
			t.Errorf("on %d GPUs %v is given and declared absent, or neither: metrics.go sets it (of pace Once: "+
				"site/model.go) to a value within its bounds, or absentOf (in site) has it. The first (is given): %s",
				len(gpus), id, gpus[0])
		}
	})
}

func checkReport(t *testing.T, gpus int, r *wire.Report) {
	t.Helper()
	if len(r.GPUs) != gpus {
		t.Fatalf("%d GPUs, want %d", len(r.GPUs), gpus)
	}
	for _, g := range r.GPUs {
		if g.Lost != "" {
			continue
		}
		within := func(what string, v, low, high float64) {
			if !(v >= low && v <= high) {
				t.Fatalf("%s %v, want %v to %v", what, v, low, high)
			}
		}
		within("util", g.Values.Float(metric.Util), 0, 100)
		within("memory util", g.Values.Float(metric.MemUtil), 0, 100)
		within("memory", g.Values.Float(metric.MemoryUsed), 1, 90<<30)
		within("temperature", g.Values.Float(metric.Temperature), 28, 90)
		within("power", g.Values.Float(metric.Power), 50, g.Values.Float(metric.PowerLimit))
		within("clock", g.Values.Float(metric.SMClock), 200, 1980)
	}
	if !r.Host.Has(metric.CPU) {
		t.Fatalf("of the host it has %v", r.Host)
	}
}

func TestDemoListsProcessesWhereTheUserLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, begin := New(2, 8, 1, 3*time.Second, longPast), time.Now()
		events := play(t, d, 30*time.Second, map[time.Duration]func(){
			10 * time.Second: func() { d.Look("gpu-s11", true) },
			20 * time.Second: func() { d.Look("gpu-s11", false) },
		})
		users, listed := map[string]bool{}, map[string]time.Duration{}
		offBeat := 0
		for _, e := range events {
			if e.Report == nil {
				continue
			}
			at := e.At.Sub(begin)
			want := e.Node == "gpu-s11" && at > 9*time.Second && at < 21*time.Second
			if e.Report.Listed && !want { // they are listed once per minute anyway
				if at-listed[e.Node] < listEvery && listed[e.Node] != 0 {
					t.Errorf("%s lists at %v and at %v", e.Node, listed[e.Node], at)
				}
				listed[e.Node] = at
				continue
			}
			if e.Report.Listed != want && (at < 9*time.Second || at > 11*time.Second) &&
				(at < 19*time.Second || at > 21*time.Second) {
				t.Errorf("%s at %v: listed %t", e.Node, at, e.Report.Listed)
			}
			if e.Report.OffBeat {
				offBeat++
			}
			for _, p := range e.Report.Processes {
				users[p.User] = true
				if p.Command == "" || *p.ElapsedSec <= 0 || *p.GPUMemory == 0 || p.Job == "" {
					t.Errorf("process %+v", p)
				}
			}
		}
		if offBeat != 1 {
			t.Errorf("%d reports off the beat, want the one that answers at once", offBeat)
		}
		if !users["alice"] || !users["bob"] || !users["carol"] {
			t.Errorf("processes of %v", users)
		}
	})
}

func TestDemoRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(4, 8, 1, 3*time.Second, longPast)
		const at = 12*time.Second + 345*time.Millisecond
		events := play(t, d, 20*time.Second, map[time.Duration]func(){at: d.Refresh})
		now := events[0].At.Add(longPast + at)
		asked, tried := false, false
		for _, e := range events {
			asked = asked || e.Discovery != nil && e.At.Equal(now)
			tried = tried || e.Try != nil && e.Node == "gpu-n04" && e.At.Equal(now)
		}
		if !asked || !tried {
			t.Errorf("asked for jobs at once: %t, tried the refusing node at once: %t", asked, tried)
		}
	})
}

// The GPU that overheats cools down in a pause of its job, and is throttled only while it is hot.
func TestDemoHeatFollowsLoad(t *testing.T) {
	w := newWorld(2, 8, 1, 3*time.Second, 0)
	var hottest, coolest, before int
	clocks := map[float64]bool{}
	for now := 45 * time.Second; now < 150*time.Second; now += time.Second {
		g := w.sampleGPU(w.hosts[0], 5, now)
		celsius := int(g.Values.Float(metric.Temperature))
		throttled := uint64(g.Values.Float(metric.Throttle))&wire.ThrottleHWThermal != 0
		if throttled != (celsius >= resumes) {
			t.Errorf("at %v it has %d°C, throttled: %t", now, celsius, throttled)
		}
		if before > 0 && max(celsius-before, before-celsius) > 5 {
			t.Errorf("at %v the temperature jumps from %d to %d", now, before, celsius)
		}
		if throttled {
			clocks[g.Values.Float(metric.SMClock)] = true
		}
		before = celsius
		hottest, coolest = max(hottest, before), min(stdcmp.Or(coolest, before), before)
	}
	if hottest < 86 || coolest > 83 {
		t.Errorf("from %d°C to %d°C, want it to be throttled, and not always", coolest, hottest)
	}
	if len(clocks) < 2 {
		t.Errorf("its throttled clocks are %v", clocks)
	}
}

// Each node of a large job is under a switch, except shared nodes; a small cluster has no topology.
func TestDemoHasSwitches(t *testing.T) {
	for nodes, want := range map[int][]int{16: nil, 70: {32, 32, 6}} {
		synctest.Test(t, func(t *testing.T) {
			store := store.New(3*time.Second, health.Rules(health.Defaults()))
			for _, e := range play(t, New(nodes, 1, 1, 3*time.Second, 0), time.Millisecond, nil) {
				store.Apply(e)
			}
			s := store.Snapshot(time.Now())
			var got []int
			for _, under := range s.Discovery.Switches {
				got = append(got, len(under.Nodes))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d nodes: %v under a switch each, want %v", nodes, got, want)
			}
			for name, n := range s.Nodes {
				if wanted := want != nil && strings.HasPrefix(name, "gpu-n"); (n.Switch != "") != wanted {
					t.Errorf("%d nodes: %s is under %q", nodes, name, n.Switch)
				}
			}
		})
	}
}
