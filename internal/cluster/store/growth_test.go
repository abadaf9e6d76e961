package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// counted is a sample with a counter of PCIe replays.
func counted(replays float64) wire.GPU {
	return wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.PCIeReplays: replays})}
}

// told is the growth of a counter of the first GPU of node a.
func (w world) told(sec float64, id metric.ID) string {
	g := &w.Snapshot(at(sec)).Nodes["a"].GPUs[0]
	grown, known := g.Grown(id)
	minute, _ := g.PerMinute(id)
	lately, over, _ := g.Lately(id)
	return fmt.Sprintf("%t %g, %g a minute, %g/s for %v of %v", known, grown, minute, lately, over, g.Watched())
}

func TestCounters(t *testing.T) {
	w := oneNode()
	for _, step := range []struct {
		sec  float64
		gpu  wire.GPU
		want string
	}{
		{0, counted(1000), "true 0, 0 a minute, 0/s for 0s of 0s"},
		{3, counted(1006), "true 6, 6 a minute, 2/s for 3s of 3s"}, // not 120 a minute
		{6, counted(1006), "true 6, 6 a minute, 0/s for 3s of 6s"},
		{9, wire.GPU{}, "true 6, 6 a minute, 0/s for 3s of 6s"},
		{12, wire.GPU{Repeated: true, Values: counted(1006).Values}, "true 6, 6 a minute, 0/s for 3s of 6s"},
		{60, counted(1066), "true 66, 66 a minute, 1.1111111111111112/s for 54s of 1m0s"},
		{120, counted(1066), "true 66, 0 a minute, 0/s for 1m0s of 2m0s"},
		{180, counted(1126), "true 126, 60 a minute, 1/s for 1m0s of 3m0s"},
		{183, counted(5), "true 0, 0 a minute, 0/s for 0s of 0s"}, // the driver was loaded again
		{186, counted(8), "true 3, 3 a minute, 1/s for 3s of 3s"},
	} {
		w.sample(step.sec, "a", step.gpu)
		if got := w.told(step.sec, metric.PCIeReplays); got != step.want {
			t.Errorf("at %g s: %s, want %s", step.sec, got, step.want)
		}
	}
	if got := w.told(186, metric.NVLinkCRC); got != "false 0, 0 a minute, 0/s for 0s of 3s" {
		t.Errorf("a counter that the GPU lacks: %s", got)
	}
	if got := w.told(186, metric.Util); got != "false 0, 0 a minute, 0/s for 0s of 3s" {
		t.Errorf("a metric that is no counter: %s", got)
	}
}

// A counter that appears later counts from then on, and an old Snapshot stays as it was.
func TestALateCounter(t *testing.T) {
	w := oneNode()
	w.sample(0, "a", wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Util: 1})})
	w.sample(3, "a", counted(500))
	snap := w.Snapshot(at(3))
	w.sample(6, "a", counted(501))
	if got := w.told(6, metric.PCIeReplays); got != "true 1, 1 a minute, 0.3333333333333333/s for 3s of 6s" {
		t.Error(got)
	}
	if grown, known := snap.Nodes["a"].GPUs[0].Grown(metric.PCIeReplays); grown != 0 || !known {
		t.Errorf("the Snapshot now says %g", grown)
	}
}

// A clock that goes backwards means a reboot: all counters began anew, even those that are already higher.
func TestCountersAfterABoot(t *testing.T) {
	w := oneNode()
	w.sample(60, "a", counted(6))
	w.Apply(cluster.Event{At: at(63), Node: "a", Report: &wire.Report{MonoMS: 2000, GPUs: []wire.GPU{counted(7)}}})
	if got := w.told(63, metric.PCIeReplays); got != "true 0, 0 a minute, 0/s for 0s of 0s" {
		t.Error(got)
	}
}

// Events of a driver that has been loaded again since are over.
func TestXidsEndWithTheDriver(t *testing.T) {
	for name, end := range map[string]func(world){
		"counters begin anew": func(w world) { w.sample(12, "a", counted(0)) },
		"no driver": func(w world) {
			w.Apply(cluster.Event{At: at(12), Node: "a", Hello: &wire.Hello{Fault: "x", FaultID: wire.FaultNoDriver}})
		},
		"another driver": func(w world) {
			w.Apply(cluster.Event{At: at(12), Node: "a", Hello: &wire.Hello{Driver: "2"}})
		},
		"": func(w world) { w.sample(12, "a", counted(4)) },
		"the same driver again": func(w world) {
			w.Apply(cluster.Event{At: at(12), Node: "a", Hello: &wire.Hello{Driver: "1"}})
		},
	} {
		w := oneNode()
		w.Apply(cluster.Event{At: at(0), Node: "a",
			Hello: &wire.Hello{Driver: "1", GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}}})
		w.sample(3, "a", counted(3))
		w.Apply(cluster.Event{At: at(6), Node: "a",
			Report: &wire.Report{MonoMS: 7000, Xids: []wire.Xid{{Code: 79, MonoMS: 6000}}, GPUs: []wire.GPU{{}}}})
		if xids := w.Snapshot(at(6)).Nodes["a"].Xids; len(xids) != 1 || !xids[0].At.Equal(at(5)) {
			t.Fatalf("%+v", xids)
		}
		end(w)
		stays := name == "" || name == "the same driver again"
		if xids := w.Snapshot(at(12)).Nodes["a"].Xids; len(xids) > 0 != stays {
			t.Errorf("%s: %+v", name, xids)
		}
	}
}

// The CPUs of a job are an average of two minutes or more. A cgroup that begins anew has no earlier time.
func TestCPUsOfJob(t *testing.T) {
	w := oneNode()
	use := func(sec float64, cpu, waited uint64) string {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &wire.Report{MonoMS: 1000 + int64(sec*1000),
			Jobs: []wire.JobMemory{{Job: "1", Used: 1, CPU: cpu, Waited: waited}}}})
		cpus, share, known := w.Snapshot(at(sec)).Nodes["a"].Memory[0].CPUs()
		return fmt.Sprintf("%v %.1f %.2f", known, cpus, share)
	}
	for _, step := range []struct {
		sec         float64
		cpu, waited uint64 // µs
		want        string
	}{
		{0, 5e6, 1e6, "false 0.0 0.00"},
		{60, 185e6, 31e6, "false 0.0 0.00"},
		{120, 365e6, 61e6, "true 3.0 0.50"},
		{240, 1085e6, 61e6, "true 6.0 0.00"},
		{300, 1265e6, 91e6, "true 5.0 0.17"},
		{330, 1e6, 0, "false 0.0 0.00"},
		{480, 1e6, 0, "true 0.0 0.00"},
	} {
		if got := use(step.sec, step.cpu, step.waited); got != step.want {
			t.Errorf("at %g s: %s, want %s", step.sec, got, step.want)
		}
	}
}

func TestHostMemoryTrend(t *testing.T) {
	const gib = 1 << 30
	w := oneNode()
	use := func(sec float64, used, limit uint64) string {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &wire.Report{MonoMS: 1000 + int64(sec*1000),
			Jobs: []wire.JobMemory{{Job: "7"}, {Job: "1", Used: used, Limit: limit}}}})
		full, known := w.Snapshot(at(sec)).Nodes["a"].Memory[1].Full()
		return fmt.Sprint(known, full)
	}
	for _, step := range []struct {
		sec         float64
		used, limit uint64
		want        string
	}{
		{0, 100 * gib, 256 * gib, "false 0s"},
		{30, 120 * gib, 256 * gib, "false 0s"}, // too soon to say
		{60, 160 * gib, 256 * gib, "true 1m36s"},
		{120, 160 * gib, 256 * gib, "true 3m12s"},
		{240, 160 * gib, 256 * gib, "false 0s"}, // it stays
		{300, 150 * gib, 256 * gib, "false 0s"},
		{360, 256 * gib, 256 * gib, "false 0s"},
		{363, 300 * gib, 512 * gib, "false 0s"}, // another limit
		{480, 160 * gib, 0, "false 0s"},
	} {
		if got := use(step.sec, step.used, step.limit); got != step.want {
			t.Errorf("at %g s: %s, want %s", step.sec, got, step.want)
		}
	}
}

// clockOf is the node's clock in the Snapshot.
func (w world) clockOf(sec float64, node string) time.Duration {
	return w.Snapshot(at(sec)).Nodes[node].Offset
}

// tick sends a report from a node whose clock is ahead; way is the report's travel time.
func (w world) tick(sec float64, node string, ahead, way time.Duration) {
	w.Apply(cluster.Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: 1000 + int64(sec*1000),
		WallMS: at(sec).Add(ahead - way).UnixMilli()}})
}

// A report that comes late says nothing about the clock.
func TestClocks(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a", "b", "c"}})
	for _, node := range []string{"a", "b", "c"} {
		w.try(0, node)
		w.hello(0, node, 1)
	}
	for sec := 0.0; sec < 200; sec += 3 {
		w.tick(sec, "a", 0, time.Second)
		w.tick(sec, "b", 7*time.Second, 0)
		w.tick(sec, "c", 0, map[bool]time.Duration{true: 20 * time.Second}[int(sec)%60 >= 3])
	}
	s := w.Snapshot(at(200))
	if a, b, c := w.clockOf(200, "a"), w.clockOf(200, "b"), w.clockOf(200, "c"); a != time.Second ||
		b != -7*time.Second || c != 0 {
		t.Errorf("offsets %v, %v, %v", a, b, c)
	}
	if common := s.Jobs[0].Common; common.Offset != 0 || common.Clocks != 3 {
		t.Errorf("%+v", common)
	}
	w.Apply(cluster.Event{At: at(201), Node: "a", Report: &wire.Report{MonoMS: 300_000, WallMS: -5}})
	w.Apply(cluster.Event{At: at(202), Node: "a", Report: &wire.Report{MonoMS: 300_000, WallMS: 1 << 62}})
	if off := w.clockOf(202, "a"); off != -farthest {
		t.Errorf("%v", off)
	}
}

// The value of most nodes is common; of two different nodes, the value of the first.
func TestCommon(t *testing.T) {
	w := newWorld()
	nodes := []string{"a", "b", "c"}
	w.jobs(0, cluster.Job{ID: "1", Nodes: nodes}, cluster.Job{ID: "2", Nodes: nodes[:2]},
		cluster.Job{ID: "3", Nodes: nodes[:1]})
	for i, driver := range []string{"550", "535", "535"} {
		w.try(0, nodes[i])
		w.Apply(cluster.Event{At: at(0), Node: nodes[i],
			Hello: &wire.Hello{Driver: driver, GPUs: []wire.Card{{UUID: "x", Minor: new(0), Name: "H" + driver}}}})
		w.sample(1, nodes[i], well)
	}
	w.sample(2, "a", well)
	s := w.Snapshot(at(2))
	for i, want := range []string{"535 H535", "550 H550", " "} {
		if c := s.Jobs[i].Common; c.Driver+" "+c.Model != want {
			t.Errorf("job %d: %+v, want %s", i+1, c, want)
		}
	}
}

// A lost GPU has its last power limit, the one in force; a GPU that never reported a limit has none.
func TestPowerLimitIsKept(t *testing.T) {
	w := oneNode()
	limited := func(watts float64) wire.GPU {
		return wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.PowerLimit: watts})}
	}
	for i, step := range []struct {
		gpu   wire.GPU
		watts float64
		known bool
	}{
		{wire.GPU{Lost: "GPU is lost"}, 0, false}, {limited(700), 700, true}, {limited(500), 500, true},
		{wire.GPU{Lost: "GPU is lost"}, 500, true}, {wire.GPU{Lost: "GPU is lost"}, 500, true},
		{limited(600), 600, true},
	} {
		sec := float64(3 * i)
		w.sample(sec, "a", step.gpu)
		if watts, known := w.Snapshot(at(sec)).Nodes["a"].GPUs[0].PowerLimit(); watts != step.watts ||
			known != step.known {
			t.Errorf("after report %d the limit is %v W, known %t; want %v, %t", i+1, watts, known, step.watts,
				step.known)
		}
	}
}
