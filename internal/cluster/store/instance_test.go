package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// divided is a node with GPU 0, GPU 1 in MIG mode with two instances, and GPU 2.
func divided(w world) {
	instance := func(index, gi int, uuid string) wire.Card {
		return wire.Card{Index: index, UUID: uuid, Minor: new(1), PCIBus: "bus1",
			Instance: &wire.Instance{Parent: "b", Index: index - 2000, GPU: gi}}
	}
	w.Apply(cluster.Event{At: at(0), Node: "n", Hello: &wire.Hello{Host: "n", GPUs: []wire.Card{
		{Index: 0, UUID: "a", Minor: new(0), PCIBus: "bus0"}, {Index: 1, UUID: "b", Minor: new(1), PCIBus: "bus1",
			MIG: true},
		instance(2000, 3, "b0"), instance(2001, 5, "b1"), {Index: 2, UUID: "c", Minor: new(2), PCIBus: "bus2"},
	}}})
	w.Apply(cluster.Event{At: at(1), Node: "n",
		Report: &wire.Report{GPUs: []wire.GPU{{Index: 0}, {Index: 1}, {Index: 2000},
			{Index: 2001}, {Index: 2}}}})
}

// TestInstances: an instance has the number of its GPU and comes after it. It does not count as a GPU.
func TestInstances(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "2", Nodes: []string{"n"}})
	divided(w)
	s := w.Snapshot(at(1))
	var keys []string
	var numbers []int
	for _, g := range s.Nodes["n"].GPUs {
		keys, numbers = append(keys, g.Key), append(numbers, g.Number)
	}
	if !cmp.Equal(keys, []string{"a", "b", "b0", "b1", "c"}) || !cmp.Equal(numbers, []int{0, 1, 1, 1, 2}) {
		t.Errorf("GPUs %v with numbers %v", keys, numbers)
	}
	if j := &s.Jobs[0]; j.GPUs != 3 || j.GPUsSeen != 3 || j.Missing(s.Nodes["n"]).Count != 0 {
		t.Errorf("the job has %d GPUs, %d seen", j.GPUs, j.GPUsSeen)
	}
}

// TestLostGPUIsNoInstance: a GPU that is lost with its instances comes back as itself, not as one of them, and another
// GPU is found by its index.
func TestLostGPUIsNoInstance(t *testing.T) {
	w := newWorld()
	divided(w)
	w.Apply(cluster.Event{At: at(2), Node: "n", Hello: &wire.Hello{Host: "n", GPUs: []wire.Card{
		{Index: 0, UUID: "a", Minor: new(0), PCIBus: "bus0"}, {Index: 1, PCIBus: "bus1", Lost: "GPU is lost"},
		{Index: 2, UUID: "c", Minor: new(2), PCIBus: "bus2"},
	}}})
	w.Apply(cluster.Event{At: at(3), Node: "n",
		Report: &wire.Report{GPUs: []wire.GPU{{Index: 0}, {Index: 1}, {Index: 2}}}})
	if g := w.node(3, "n").GPUs[1]; g.Key != "b" || g.Instance() || g.Number != 1 {
		t.Errorf("GPU %+v", g.Card)
	}

	w = newWorld() // GPU 2 has no number from the beginning
	w.Apply(cluster.Event{At: at(0), Node: "n", Hello: &wire.Hello{Host: "n", GPUs: []wire.Card{
		{Index: 0, UUID: "a", Minor: new(0), MIG: true},
		{Index: 1000, UUID: "a0", Minor: new(0), Instance: &wire.Instance{Parent: "a"}},
		{Index: 1, Lost: "GPU is lost"},
	}}})
	w.Apply(cluster.Event{At: at(1), Node: "n", Report: &wire.Report{}})
	if g := w.node(1, "n").GPUs[2]; g.Number != 1 || g.Instance() {
		t.Errorf("GPU %+v has number %d", g.Card, g.Number)
	}
}

// Instances are not compared with the GPUs of a host.
func TestInstancesAreNoPeers(t *testing.T) {
	var peers []string
	w := world{New(3*time.Second, func(s cluster.Subject) []cluster.Condition {
		if s.Scope == cluster.ScopePeers {
			for _, p := range s.Peers.GPUs {
				peers = append(peers, p.Own.Key)
			}
		}
		return nil
	})}
	w.jobs(0, cluster.Job{Nodes: []string{"a"}})
	w.try(0, "a")
	cards := []wire.Card{{Index: 0, UUID: "whole", Minor: new(0)},
		{Index: 1, UUID: "MIG-1", Minor: new(1), Instance: &wire.Instance{}}}
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{GPUs: cards}})
	w.Apply(cluster.Event{At: at(1), Node: "a",
		Report: &wire.Report{MonoMS: 1000, GPUs: []wire.GPU{{Index: 0}, {Index: 1}}}})
	if len(peers) != 1 || peers[0] != "whole" {
		t.Errorf("compared are %q", peers)
	}
}
