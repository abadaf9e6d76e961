package store

import (
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// many is a cluster of nodes with 8 GPUs each: one node in every has a problem, and another had one.
func many(nodes, every int) world {
	w := newWorld()
	job := cluster.Job{ID: "1"}
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		job.Nodes = append(job.Nodes, name)
		w.try(0, name)
		w.hello(0, name, 8)
		for sec := range 3 {
			r := &wire.Report{MonoMS: 1000 + int64(sec*3000)}
			for k := range 8 {
				g := wire.GPU{Index: k, Values: metric.Make(map[metric.ID]float64{metric.Util: 97})}
				if (8*i+k)%every == 0 {
					g.Values.Set(metric.Throttle, 0)
				}
				if (8*i+k)%every == every/2 && sec == 1 {
					g.Values.Set(metric.ECCUncorrected, 1)
				}
				r.GPUs = append(r.GPUs, g)
			}
			w.Apply(cluster.Event{At: at(float64(3 * sec)), Node: name, Report: r})
		}
	}
	w.jobs(6, job)
	return w
}

func BenchmarkSnapshot(b *testing.B) {
	for _, size := range []struct{ nodes, every int }{{64, 1 << 20}, {1000, 1 << 20}, {1000, 100}, {1000, 8},
		{1000, 1}} {
		b.Run(fmt.Sprintf("%dx8-one-in-%d", size.nodes, size.every), func(b *testing.B) {
			w := many(size.nodes, size.every)
			for b.Loop() {
				w.Snapshot(at(7))
			}
		})
	}
}
