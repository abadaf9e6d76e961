package ui

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// crowdedFixture is a job of 64 nodes with 10,000 processes.
func crowdedFixture() *cluster.Snapshot {
	s := uitest.BigFixture()
	r := rand.New(rand.NewPCG(10, 4))
	for at, name := range s.Jobs[0].Nodes {
		n := s.Nodes[name]
		if len(n.GPUs) == 0 {
			*n = *uitest.NodeOf(r, name, 8)
		}
		n.Listed, n.ListedAt, n.Processes = true, n.Arrived, nil
		for i := range 10000/64 + 1 {
			n.Processes = append(n.Processes, wire.Process{
				PID: 300000 + at*1000 + i, StartTicks: uint64(i), GPU: n.GPUs[i%8].Index, Type: "C", State: "R",
				GPUMemory: new(r.Uint64N(80 << 30)), SMPercent: new(r.IntN(100)),
				Identity: wire.Identity{User: "alice", Name: "python",
					Command: "python -u train.py --config configs/llama70b.yaml --tp 8 --pp 4 --data " +
						"/scratch/alice/tokens", Job: "48400"},
				CPUPercent: new(200 * r.Float64()), RSS: new(r.Uint64N(30 << 30)), ElapsedSec: new(r.Int64N(90000)),
			})
		}
	}
	return s
}

// The rows of a Snapshot take the memory of those before, and nothing else: each page is the one of its Snapshot alone.
func TestProcessesOfTheNextSnapshot(t *testing.T) {
	t.Parallel()
	few := crowdedFixture()
	for _, n := range few.Nodes {
		n.Processes = n.Processes[:len(n.Processes)/9]
	}
	shown := func(snap *cluster.Snapshot, memory *part.Memory, pressing []string) string {
		v := newNodeView()
		s := &part.Scene{Snap: snap, Size: part.Size{W: 200, H: 50}, Display: time.Second, Memory: memory}
		v.on = keys.OnOverview
		v.resolveSelection(s)
		for _, k := range pressing {
			v.handleGlobalKey(pressed(k), s)
			v.resolveSelection(s)
		}
		c := draw.New(s.W, s.H)
		v.drawPage(&part.Frame{Canvas: c, Scene: s})
		return string(darkTheme.Encode(nil, c))
	}
	memory, many := &part.Memory{}, crowdedFixture()
	for _, pressing := range [][]string{{"5"}, {"5", "w"}, {"5", "t"}, {"5", "end"}, {"5", "i"}} {
		for i, snap := range []*cluster.Snapshot{many, few, crowdedFixture(), few, many} {
			if shown(snap, memory, pressing) != shown(snap, &part.Memory{}, pressing) {
				t.Errorf("%v: Snapshot %d does not look as it does alone", pressing, i)
			}
		}
	}
}

// From a key to the encoded frame must be at most 8 ms in the 99th percentile, with 10,000 processes in the scope; so
// must be the first frame of a Snapshot. That is CPU time, as in BenchmarkScreenKeys.
func BenchmarkProcesses(b *testing.B) {
	snaps := [2]*cluster.Snapshot{crowdedFixture(), crowdedFixture()}
	for _, bench := range []struct {
		name string
		keys []string
		anew bool // each frame shows another Snapshot
	}{
		{"move", []string{"down", "pgdown", "end", "home"}, false}, {"tag", []string{"space", "down"}, false},
		{"sort", []string{"/", ".", ","}, false},
		{"scope", []string{"w", "W"}, false}, {"tree", []string{"t", "t"}, false},
		{"filter", []string{"F", "t", "r", "a", "i", "n", " ", "s", "m", "<", "5", "0", "esc"}, false},
		{"snapshot", []string{""}, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			v := newNodeView()
			s := &part.Scene{Snap: snaps[0], Size: part.Size{W: 200, H: 50}, Display: time.Second,
				Memory: &part.Memory{}}
			v.on = keys.OnOverview
			v.resolveSelection(s)
			v.handleGlobalKey(pressed("5"), s)
			v.resolveSelection(s)
			c, out := draw.New(0, 0), []byte(nil)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%len(bench.keys) == 0 && !bench.anew { // what the last keys have asked for is forgotten
					s.Snap = snaps[i/len(bench.keys)%2]
					v.resolveSelection(s)
				}
				began := ownCPU()
				if bench.anew {
					s.Snap = snaps[i%2]
				} else {
					v.passMessage(pressed(bench.keys[i%len(bench.keys)]), s)
				}
				v.resolveSelection(s)
				c.Reset(s.W, s.H)
				v.drawPage(&part.Frame{Canvas: c, Scene: s})
				out = darkTheme.Encode(out[:0], c)
				took = append(took, ownCPU()-began)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
