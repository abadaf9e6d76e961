package jobs

// Kind is what is true of a job.
type Kind string

// The kinds of jobs.
const (
	Works Kind = "works"           // it goes on, or waits for work: it must never be called stuck
	Busy  Kind = "hangs, but busy" // it never goes on, but computes or polls: from outside that looks like work
	Hangs Kind = "hangs"           // it never goes on, and nothing of it moves
)

// Row is a job with four ranks on two nodes.
type Row struct {
	Does   string // the function of the programs that one rank calls
	How    How
	Kind   Kind
	Who    string // the rank; "all": each
	Others string // where the others are; "": nowhere in particular
	Frame  string // a function in which the rank is; "": none
	// Says are words for the reason: a user who reads them knows what to look at.
	Says []string
	Fast bool // it belongs to the tests of each change
	// GPUs is what the GPUs show meanwhile, for the fake NVML; "": they train.
	GPUs string
}

// How is how the ranks are started, and wait for each other.
type How string

// The ways of the ranks.
const (
	Manual    How = "manual"    // srun; all_reduce for each gradient
	DDP       How = "ddp"       // srun; DistributedDataParallel
	Item      How = "item"      // srun; they poll in C for the result, as on a GPU
	Torchrun  How = "torchrun"  // torchrun; DistributedDataParallel
	Container How = "container" // srun bwrap, with PIDs of its own; all_reduce
	Titled    How = "titled"    // srun; the program overwrites its environment; all_reduce
	MPI       How = "mpi"       // mpirun; mpi4py
	Dask      How = "dask"      // workers of Dask
	Notebook  How = "notebook"  // a kernel of Jupyter
)

// waiting is what a GPU shows in a collective that waits for another rank: it polls.
const waiting = "util 100; util_memory 0; power 115"

const last = "3"

// Table has all rows.
var Table = append(append(append([]Row{}, working...), hanging...), busy...)
