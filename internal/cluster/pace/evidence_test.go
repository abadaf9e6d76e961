package pace

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// GPUs work together only where they are seen to exchange data in both directions, and none of them is missed by
// nobody.
func TestEvidence(t *testing.T) {
	const mib = 1 << 20
	type links = map[metric.ID]float64
	for name, tc := range map[string]struct {
		links    links
		host     Traffic
		idle     bool // one GPU stands still at the end, and the others go on
		known    bool // NCCL has said that they work together
		evidence Evidence
		together bool
	}{
		"NVLink":             {links{metric.NVLinkTX: 20 * mib}, Traffic{}, false, false, NVLink, true},
		"a poll over NVLink": {links{metric.NVLinkTX: mib / 8}, Traffic{}, false, false, None, false},
		"PCIe in both directions": {links{metric.PCIeTX: 200 * mib, metric.PCIeRX: 300 * mib}, Traffic{}, false, false,
			PCIe, true},
		"images over PCIe": {links{metric.PCIeTX: 70 * mib, metric.PCIeRX: 2000 * mib}, Traffic{}, false, false,
			None, false},
		"a network on one node":      {links{metric.PCIeRX: mib}, Traffic{900 * mib, 900 * mib}, false, false, None, false},
		"one stands, none misses it": {links{metric.NVLinkTX: 20 * mib}, Traffic{}, true, false, NVLink, false},
		"NCCL knows, images over PCIe": {links{metric.PCIeTX: 70 * mib, metric.PCIeRX: 2000 * mib}, Traffic{}, false, true,
			NCCL, true},
		"NCCL knows, NVLink":               {links{metric.NVLinkTX: 20 * mib}, Traffic{}, false, true, NVLink, true},
		"NCCL knew, but none misses a GPU": {links{}, Traffic{}, true, true, NCCL, false},
	} {
		t.Run(name, func(t *testing.T) {
			job := Job{Known: tc.known}
			gpus := eight()
			for at := time.Duration(0); at < 5*time.Minute; at += 3 * time.Second {
				for i, g := range gpus {
					util := 97.0
					if tc.idle && i == 3 && at > 3*time.Minute {
						util = 0
					}
					v := values(util, 100+5*util, 1650)
					v.Set(metric.NVLinkTX, 0)
					for id, x := range tc.links {
						if util > 0 {
							v.Set(id, x)
						}
					}
					g.Add(t0.Add(at), v, tc.host)
				}
				job.Compare(t0.Add(at), gpus, false)
			}
			if g := &job.Groups[0]; g.Evidence != tc.evidence || g.Together() != tc.together {
				t.Errorf("%q, together: %t", g.Evidence, g.Together())
			}
		})
	}
}

// Pauses that begin and end together count, until some GPUs pause for themselves.
func TestRhythm(t *testing.T) {
	var r rhythm
	at := t0
	see := func(halted int, length time.Duration) {
		for end := at.Add(length); at.Before(end); at = at.Add(3 * time.Second) {
			r.noteHalted(at, halted, 8)
		}
	}
	for range 3 {
		see(0, time.Minute)
		see(4, 6*time.Second)
		see(8, 30*time.Second)
	}
	see(0, time.Minute)
	if r.count != 3 {
		t.Errorf("%d pauses", r.count)
	}
	see(4, time.Minute)
	if see(0, time.Minute); r.count != 0 {
		t.Errorf("%d pauses after one of half the GPUs", r.count)
	}
}

// The traffic of a node is of no use where the other GPUs show theirs themselves, or where others use the node.
func TestTalks(t *testing.T) {
	const mib = 1 << 20
	for name, tc := range map[string]struct {
		nvlink float64 // of all GPUs but the first
		shared bool
		want   [2]bool // the first GPU and the second GPU talk
	}{
		"over NVLink":               {200 * mib, false, [2]bool{false, true}},
		"over the network":          {0, false, [2]bool{true, true}},
		"over the network, perhaps": {0, true, [2]bool{false, false}},
	} {
		var job Job
		gpus := eight()
		for at := time.Duration(0); at < 5*time.Minute; at += 3 * time.Second {
			for i, g := range gpus {
				v := values(97, 600, 1650)
				v.Set(metric.NVLinkTX, 0)
				if i > 0 {
					v.Set(metric.NVLinkTX, tc.nvlink)
				}
				g.Node, g.Shared = i/4, tc.shared
				g.Add(t0.Add(at), v, Traffic{900 * mib, 900 * mib})
			}
			job.Compare(t0.Add(at), gpus, false)
		}
		g := &job.Groups[0]
		if got := [2]bool{g.Talks(gpus[0]), g.Talks(gpus[1])}; got != tc.want {
			t.Errorf("%s (%q): %v", name, g.Evidence, got)
		}
	}
}

// A job on one node is never compared across nodes, however often its GPUs pause together.
func TestOneNodeIsNotAcross(t *testing.T) {
	const mib = 1 << 20
	var job Job
	gpus := eight()[:2]
	for at := time.Duration(0); at < 14*time.Minute; at += 3 * time.Second {
		util := 97.0
		if at%(3*time.Minute) > 2*time.Minute {
			util = 0
		}
		for _, g := range gpus {
			v := values(util, 100+5*util, 1650)
			v.Set(metric.NVLinkTX, 0)
			g.Add(t0.Add(at), v, Traffic{900 * mib, 900 * mib})
		}
		job.Compare(t0.Add(at), gpus, false)
	}
	if g := job.Groups[0]; g.Node == Everywhere || g.Evidence != None {
		t.Errorf("node %d: %q", g.Node, g.Evidence)
	}
}

// One network's evidence counts, even if nothing is known about the other.
func TestTrafficOf(t *testing.T) {
	for name, tc := range map[string]struct {
		v    map[metric.ID]float64
		want Traffic
	}{
		"InfiniBand alone": {map[metric.ID]float64{metric.InfiniBandTX: 5, metric.InfiniBandRX: 6}, Traffic{5, 6}},
		"the other alone":  {map[metric.ID]float64{metric.NetTX: 1, metric.NetRX: 2}, Traffic{1, 2}},
		"more on InfiniBand": {map[metric.ID]float64{metric.InfiniBandTX: 5, metric.InfiniBandRX: 6, metric.NetTX: 1,
			metric.NetRX: 2}, Traffic{5, 6}},
		"more on the other": {map[metric.ID]float64{metric.InfiniBandTX: 5, metric.InfiniBandRX: 6, metric.NetTX: 7,
			metric.NetRX: 8}, Traffic{7, 8}},
	} {
		v := metric.Make(tc.v)
		if got := TrafficOf(&v); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// One sample of an idle GPU does not prove that the others do not need it, however far apart samples are.
func TestOneSampleDoesNotPart(t *testing.T) {
	for still, want := range map[int]bool{1: false, 3: true} {
		var job Job
		gpus := eight()
		for n := range 40 {
			at := t0.Add(time.Duration(n) * alone)
			for i, g := range gpus {
				util := 97.0
				if i == 3 && n >= 30 && n < 30+still {
					util = 0
				}
				g.Add(at, values(util, 100+5*util, 1650), Traffic{})
			}
			job.Compare(at, gpus, false)
		}
		if parted := !job.Groups[0].Parted.IsZero(); parted != want {
			t.Errorf("still in %d samples: parted %t", still, parted)
		}
	}
}
