package shapes

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes returns the processes of a job on a GPU at a moment.
type Processes func(r *rig, at time.Duration, gpu int) []Process

// Process is a process as the probe finds it.
type Process struct {
	PID, Parent int
	Began       time.Duration // since the beginning of the watch; negative: before
	Name, From  string        // From is the variable that names its rank; "": none does
	Rank, World int
	Local       int
	CPU         float64 // percent of a core
	Threads     int     // 0: unknown
	CPUs        string  // on which it may run; "": unknown
	Read, Write float64 // bytes per second by system calls
}

// before is the start of the processes of a job that began before the watch.
const before = -4 * time.Hour

// torchrun is one process for each GPU; all know of each other.
var torchrun = launched("RANK", "python", before)

// srun is one task for each GPU. Tasks have ranks, even if they do not depend on each other.
func srun(name string) Processes { return launched("SLURM_PROCID", name, before) }

// mpirun is one process for each GPU under Open MPI.
func mpirun(name string) Processes { return launched("OMPI_COMM_WORLD_RANK", name, before) }

func launched(from, name string, began time.Duration) Processes {
	return func(r *rig, _ time.Duration, gpu int) []Process {
		local := gpu % r.GPUs
		return []Process{{
			PID: 4000 + local, Parent: 3990, Began: began, Name: name, CPU: 101,
			From: from, Rank: gpu, World: r.world(), Local: local,
		}}
	}
}

// programs is one process for each GPU, each started by itself.
func programs(name string) Processes {
	return func(r *rig, _ time.Duration, gpu int) []Process {
		local := gpu % r.GPUs
		return []Process{{PID: 4000 + 10*local, Parent: 3000 + local, Began: before, Name: name, CPU: 98}}
	}
}

// oneForAll is one process on all GPUs of the node.
func oneForAll(name string) Processes {
	return func(*rig, time.Duration, int) []Process {
		return []Process{{PID: 4000, Parent: 3990, Began: before, Name: name, CPU: 130}}
	}
}

// byNode is one torchrun on each node, which knows nothing of the others.
var byNode Processes = func(r *rig, at time.Duration, gpu int) []Process {
	list := torchrun(r, at, gpu)
	list[0].Rank, list[0].World = gpu%r.GPUs, r.GPUs
	return list
}

// twice are two programs of torchrun on halves of a node.
var twice Processes = func(_ *rig, _ time.Duration, gpu int) []Process {
	half, rank := gpu/4, gpu%4
	return []Process{{
		PID: 4000 + 1000*half + rank, Parent: 3990 + 1000*half, Began: before + time.Duration(half)*40*sec,
		Name: "python", CPU: 101, From: "RANK", Rank: rank, World: 4, Local: rank,
	}}
}

// dead returns processes that are killed on some GPUs at a moment.
func (p Processes) dead(when time.Duration, of ...int) Processes {
	return func(r *rig, at time.Duration, gpu int) []Process {
		if at >= when && slices.Contains(of, gpu) {
			return nil
		}
		return p(r, at, gpu)
	}
}

// cpu returns processes that use another share of a core on some GPUs from a moment on.
func (p Processes) cpu(when time.Duration, percent float64, of ...int) Processes {
	return p.but(when, func(p *Process) { p.CPU = percent }, of...)
}

// but returns processes that differ on some GPUs from a moment on.
func (p Processes) but(when time.Duration, change func(*Process), of ...int) Processes {
	return p.with(func(p *Process, at time.Duration, gpu int) {
		if at >= when && slices.Contains(of, gpu) {
			change(p)
		}
	})
}

// with returns processes after a change.
func (p Processes) with(change func(p *Process, at time.Duration, gpu int)) Processes {
	return func(r *rig, at time.Duration, gpu int) []Process {
		list := p(r, at, gpu)
		for i := range list {
			change(&list[i], at, gpu)
		}
		return list
	}
}

// bound is torchrun with 16 CPUs for each rank, each of which reads 60 MB/s.
var bound = torchrun.with(func(p *Process, _ time.Duration, _ int) {
	p.CPUs, p.Read, p.Write = fmt.Sprintf("%d-%d", 16*p.Local, 16*p.Local+15), 60*mega, 20e3
})

// runs returns the processes on a GPU. All are absent during a restart, and new after it.
func (r *rig) runs(at time.Duration, gpu int) []Process {
	if _, in := within(r.down, at); in || r.Ends != nil && at >= r.Ends(gpu) {
		return nil
	}
	list := r.Runs(r, at, gpu)
	for k, s := range r.down {
		if at >= s.to {
			for i := range list {
				list[i].PID, list[i].Parent, list[i].Began = list[i].PID+100*(k+1), list[i].Parent+100*(k+1), s.to
			}
		}
	}
	return list
}

// oneByOne gives the GPUs times to end, one after the other. step scatters the order of the first of GPUs.
func oneByOne(first, apart time.Duration, step, of int) func(gpu int) time.Duration {
	return func(gpu int) time.Duration { return first + time.Duration(gpu*step%of)*apart }
}

// wire returns the process on a GPU of its node as the probe sends it.
func (p Process) wire(at time.Duration, index int) wire.Process {
	elapsed, cpu := int64((at-p.Began)/time.Second), p.CPU
	out := wire.Process{
		PID: p.PID, StartTicks: uint64((p.Began + 24*time.Hour) / (10 * time.Millisecond)), GPU: index, Type: "C",
		State:      "R",
		CPUPercent: &cpu, ElapsedSec: &elapsed, Identity: wire.Identity{Name: p.Name, Parent: p.Parent, Job: "7",
			Step: "0", CPUAffinity: p.CPUs},
	}
	if p.Threads > 0 {
		out.Threads = &p.Threads
	}
	if p.CPUs != "" {
		out.IORead, out.IOWrite = new(uint64(p.Read)), new(uint64(p.Write))
	}
	if p.From != "" {
		out.Rank = &wire.Rank{Rank: p.Rank, From: p.From, Local: &p.Local, World: &p.World}
	}
	return out
}
