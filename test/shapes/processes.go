package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Processes returns the processes on a GPU at a moment.
type Processes func(at time.Duration, gpu int) []Process

// Process is a process as the probe finds it.
type Process struct {
	PID, Parent int
	Began       time.Duration // since the beginning of the watch; negative: before
	Name, From  string        // From is the variable that names its rank; "": none does
	Rank, World int
	Local       int
	CPU         float64 // percent of a core
}

// before is the start of the processes of a job that began before the watch.
const before = -4 * time.Hour

// torch, mpi, tasks and single are jobs under these launchers.
func (r *rig) torch(p Program) Job               { return Job{Does: p, Runs: r.torchrun()} }
func (r *rig) mpi(name string, p Program) Job    { return Job{Does: p, Runs: r.mpirun(name)} }
func (r *rig) tasks(name string, p Program) Job  { return Job{Does: p, Runs: r.srun(name)} }
func (r *rig) single(name string, p Program) Job { return Job{Does: p, Runs: r.programs(name)} }

// torchrun is one process for each GPU; all know of each other.
func (r *rig) torchrun() Processes { return r.launched("RANK", "python", before) }

// srun is one task for each GPU. Tasks have ranks, even if they do not depend on each other.
func (r *rig) srun(name string) Processes { return r.launched("SLURM_PROCID", name, before) }

// mpirun is one process for each GPU under Open MPI.
func (r *rig) mpirun(name string) Processes { return r.launched("OMPI_COMM_WORLD_RANK", name, before) }

func (r *rig) launched(from, name string, began time.Duration) Processes {
	gpus, world := r.GPUs, r.world()
	return func(_ time.Duration, gpu int) []Process {
		return []Process{{
			PID: 4000 + gpu%gpus, Parent: 3990, Began: began, Name: name, CPU: 101,
			From: from, Rank: gpu, World: world, Local: gpu % gpus,
		}}
	}
}

// programs is one process for each GPU, each started by itself.
func (r *rig) programs(name string) Processes {
	gpus := r.GPUs
	return func(_ time.Duration, gpu int) []Process {
		return []Process{{PID: 4000 + 10*(gpu%gpus), Parent: 3000 + gpu%gpus, Began: before, Name: name, CPU: 98}}
	}
}

// oneForAll is one process on all GPUs of the node.
func (r *rig) oneForAll(name string) Processes {
	return func(time.Duration, int) []Process {
		return []Process{{PID: 4000, Parent: 3990, Began: before, Name: name, CPU: 130}}
	}
}

// ending returns processes that end on each GPU at its own time; 0: never.
func (p Processes) ending(ends func(gpu int) time.Duration) Processes {
	return func(at time.Duration, gpu int) []Process {
		if end := ends(gpu); end != 0 && at >= end {
			return nil
		}
		return p(at, gpu)
	}
}

// dead returns processes that are killed on some GPUs at a moment.
func (p Processes) dead(when time.Duration, of ...int) Processes {
	return p.ending(func(gpu int) time.Duration {
		for _, g := range of {
			if g == gpu {
				return when
			}
		}
		return 0
	})
}

// again returns processes that are restarted in each of these spans: they are absent until the span ends.
func (p Processes) again(spans []span) Processes {
	return func(at time.Duration, gpu int) []Process {
		if _, in := within(spans, at); in {
			return nil
		}
		list := p(at, gpu)
		for k, s := range spans {
			if at >= s.to {
				for i := range list {
					list[i].PID, list[i].Parent, list[i].Began = list[i].PID+100*(k+1), list[i].Parent+100*(k+1), s.to
				}
			}
		}
		return list
	}
}

// cpu returns processes that use another share of a core on some GPUs from a moment on.
func (p Processes) cpu(when time.Duration, percent float64, of ...int) Processes {
	return func(at time.Duration, gpu int) []Process {
		list := p(at, gpu)
		for _, g := range of {
			if g == gpu && at >= when {
				for i := range list {
					list[i].CPU = percent
				}
			}
		}
		return list
	}
}

// wire returns the process on a GPU of its node as the probe sends it.
func (p Process) wire(at time.Duration, index int) wire.Process {
	elapsed, cpu := int64((at-p.Began)/time.Second), p.CPU
	out := wire.Process{
		PID: p.PID, StartTicks: uint64((p.Began + 24*time.Hour) / (10 * time.Millisecond)), GPU: index, Type: "C",
		State:      "R",
		CPUPercent: &cpu, ElapsedSec: &elapsed, Identity: wire.Identity{Name: p.Name, Parent: p.Parent, Job: "7",
			Step: "0"},
	}
	if p.From != "" {
		out.Rank = &wire.Rank{Rank: p.Rank, From: p.From, Local: &p.Local, World: &p.World}
	}
	return out
}
