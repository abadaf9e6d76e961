// Package ras is a fake of NCCL's RAS subsystem: jobs with communicators, healthy and faulty, and what RAS says about
// them, as JSON (2.28.7 and newer) and as text (2.24, and from 2.26 on). It is written from NCCL's user guide
// (troubleshooting/ras) and from the formats in its src/ras. A Server answers at a socket as RAS does, and misbehaves
// on request. The program test/rasd serves the same on the nodes of a test cluster, or anywhere.
package ras

import (
	"cmp"
	"fmt"
	"slices"
)

// World is a job as its RAS sees it.
type World struct {
	Version  string // of NCCL: "2.29.7"
	Comms    []Comm
	Timeouts int
}

// Comm is a communicator.
type Comm struct {
	Hash    uint64
	Ranks   []Rank
	Missing []Missing
}

// Peer is a process.
type Peer struct {
	Host string
	PID  int
}

// Rank is a member of a communicator.
type Rank struct {
	Peer
	Rank, CUDA, NVML         int
	Init, Async              int
	Finalize, Destroy, Abort bool
	Counts                   [5]uint64
}

// Missing is a member about which nothing is known.
type Missing struct {
	Peer
	Rank, CUDA, NVML   int
	Unresponsive, Dead bool
}

// Operations are the names of Rank.Counts, in their order.
var Operations = [5]string{"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"}

// AllReduce is its index among Operations.
const AllReduce = 4

// Place is a GPU of a job with its process.
type Place struct {
	Peer
	GPU int
}

// Grid is a job with one process for each GPU: node i has the address 172.16.H.L, and the PIDs are 10000·(i+1)+GPU.
func Grid(nodes, gpus int) []Place {
	var all []Place
	for n := range nodes {
		for g := range gpus {
			all = append(all, Place{Peer{fmt.Sprintf("172.16.%d.%d", 64+n/200, 1+n%200), 10000*(n+1) + g}, g})
		}
	}
	return all
}

// Group makes a communicator of places; each has launched count AllReduces.
func Group(hash uint64, places []Place, count uint64) Comm {
	c := Comm{Hash: hash}
	for i, p := range places {
		r := Rank{Peer: p.Peer, Rank: i, CUDA: p.GPU, NVML: p.GPU}
		r.Counts[AllReduce] = count
		c.Ranks = append(c.Ranks, r)
	}
	return c
}

// Parallel makes the communicators of a training job: one of all, one of each run of `tensor` ranks, and one of the
// ranks with the same place in these runs.
func Parallel(places []Place, tensor int, count uint64) World {
	w := World{Version: "2.29.7", Comms: []Comm{Group(1, places, count)}}
	for run := range slices.Chunk(places, tensor) {
		w.Comms = append(w.Comms, Group(uint64(0x1000+len(w.Comms)), run, 8*count))
	}
	for i := range tensor {
		var same []Place
		for k := i; k < len(places); k += tensor {
			same = append(same, places[k])
		}
		w.Comms = append(w.Comms, Group(uint64(0x2000+i), same, count))
	}
	return w
}

// Of returns the communicator with a hash.
func (w *World) Of(hash uint64) *Comm {
	return &w.Comms[slices.IndexFunc(w.Comms, func(c Comm) bool { return c.Hash == hash })]
}

// Launch lets the ranks of a communicator launch n AllReduces more, without those at these places in it.
func (c *Comm) Launch(n uint64, without ...int) {
	for i := range c.Ranks {
		if !slices.Contains(without, c.Ranks[i].Rank) {
			c.Ranks[i].Counts[AllReduce] += n
		}
	}
}

// Lose makes a process missing in all its communicators.
func (w *World) Lose(p Peer, unresponsive, dead bool) {
	for i := range w.Comms {
		c := &w.Comms[i]
		c.Ranks = slices.DeleteFunc(c.Ranks, func(r Rank) bool {
			if r.Peer != p {
				return false
			}
			c.Missing = append(c.Missing, Missing{Peer: p, Rank: r.Rank, CUDA: r.CUDA, NVML: r.NVML,
				Unresponsive: unresponsive, Dead: dead})
			return true
		})
	}
}

// Clone returns a copy that shares nothing.
func (w *World) Clone() World {
	c := *w
	c.Comms = slices.Clone(w.Comms)
	for i := range c.Comms {
		c.Comms[i].Ranks, c.Comms[i].Missing = slices.Clone(c.Comms[i].Ranks), slices.Clone(c.Comms[i].Missing)
	}
	return c
}

// size is the number of ranks of a communicator.
func (c *Comm) size() int { return len(c.Ranks) + len(c.Missing) }

// peers returns all processes with the NVML numbers of their GPUs.
func (w *World) peers() (order []Peer, gpus map[Peer][]int) {
	gpus = map[Peer][]int{}
	add := func(p Peer, gpu int) {
		if gpus[p] == nil {
			order = append(order, p)
		}
		if !slices.Contains(gpus[p], gpu) {
			gpus[p] = append(gpus[p], gpu)
		}
	}
	for _, c := range w.Comms {
		for _, r := range c.Ranks {
			add(r.Peer, r.NVML)
		}
		for _, m := range c.Missing {
			add(m.Peer, m.NVML)
		}
	}
	slices.SortFunc(order, func(a, b Peer) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host),
			cmp.Compare(a.PID, b.PID))
	})
	return order, gpus
}
