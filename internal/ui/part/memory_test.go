package part

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func textOf(pieces []Piece) (all string) {
	for _, p := range pieces {
		all += p.Text
	}
	return all
}

func TestMemoryWords(t *testing.T) {
	g := &cluster.GPU{Card: &wire.Card{}, GPU: &wire.GPU{Values: metric.Make(map[metric.ID]float64{
		metric.MemoryTotal: 80 * gib})}}
	if got := textOf(MemoryOf(g)); got != "" {
		t.Errorf("of unknown use: %q", got)
	}
	start := time.Unix(1_800_000_000, 0)
	at := func(sec int) time.Time { return start.Add(time.Duration(sec) * time.Second) }
	g.Memory = g.Memory.Add(at(0), 65*gib)
	if got := textOf(MemoryOf(g)); got != "GPU memory peak 65.0 of 80.0 GiB" {
		t.Error(got)
	}
	m := cluster.JobMemory{JobMemory: wire.JobMemory{Job: "7", Used: 75 * gib, Limit: 80 * gib}}
	for sec := range 40 * 60 {
		used := (65 + float64(sec)/240) * gib
		g.Memory, m.Past = g.Memory.Add(at(sec), used), m.Past.Add(at(sec), used)
	}
	if got := textOf(MemoryOf(g)); got != "GPU memory peak 75.0 of 80.0 GiB, grows by 0.2 GiB a minute: full in 20 min" {
		t.Error(got)
	}
	n := &cluster.Node{Name: "a", Memory: []cluster.JobMemory{m}}
	s := &Scene{Job: &cluster.JobView{Job: cluster.Job{Number: "7"}}}
	if got := textOf(HostMemoryOf(s, n)); got != "host memory peak 75.0 of 80.0 GiB, full in 20 min" {
		t.Error(got)
	}
	if s.Job.Number = "8"; HostMemoryOf(s, n) != nil {
		t.Error("the memory of another job is shown")
	}
}
