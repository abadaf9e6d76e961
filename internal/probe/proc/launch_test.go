package proc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// words are the parts of an origin that are known: "job/step FROM rank local/world".
func words(o Origin) string {
	text := o.Job + "/" + o.Step
	if r := o.Rank; r != nil {
		local, world := "-", "-"
		if r.Local != nil {
			local = fmt.Sprint(*r.Local)
		}
		if r.World != nil {
			world = fmt.Sprint(*r.World)
		}
		text += fmt.Sprintf(" %s %d %s/%s", r.From, r.Rank, local, world)
	}
	return text
}

// environ is an environment as the kernel shows it, of variables that are separated by spaces.
func environ(vars string) string {
	return "PATH=/bin\x00SECRET=hunter2\x00" + strings.ReplaceAll(vars, " ", "\x00") + "\x00HOME=/home/alice\x00"
}

const (
	task   = "SLURM_JOB_ID=16 SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_LOCALID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=8"
	script = "SLURM_JOB_ID=16 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8"
	torch  = " RANK=3 LOCAL_RANK=3 WORLD_SIZE=16"
)

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, vars, want string }{
		{"none", "", "/"},
		{"torchrun", torch, "/ RANK 3 3/16"},
		{"torchrun in a task", task + torch, "16/0 RANK 3 3/16"},
		{"torchrun in a script", script + torch, "16/ RANK 3 3/16"},
		{"without a local rank", "RANK=3 WORLD_SIZE=16", "/ RANK 3 -/16"},
		{"a local rank that cannot be", "RANK=3 LOCAL_RANK=4 WORLD_SIZE=16", "/ RANK 3 -/16"},
		{"the first of two counts", "RANK=2 RANK=3 WORLD_SIZE=4", "/ RANK 2 -/4"},
		{"torchrun of one process", "RANK=0 LOCAL_RANK=0 WORLD_SIZE=1", "/"},
		{"many of them in a step", task + " RANK=0 LOCAL_RANK=0 WORLD_SIZE=1", "16/0"},
		{"the rank of a matrix", "RANK=64", "/"},
		{"the rank of a matrix in a task", task + " RANK=64", "16/0 SLURM_PROCID 5 1/8"},
		{"beyond its world", "RANK=16 WORLD_SIZE=16", "/"},
		{"a word", "RANK=gold WORLD_SIZE=16", "/"},
		{"negative", "RANK=-1 WORLD_SIZE=16", "/"},
		{"signed", "RANK=+1 WORLD_SIZE=16", "/"},
		{"too large", "RANK=1 WORLD_SIZE=99999999999", "/"},
		{"mpirun", "OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_LOCAL_RANK=3 OMPI_COMM_WORLD_SIZE=8 PMIX_RANK=7 " +
			"PMIX_NAMESPACE=prterun-1@1", "/ OMPI_COMM_WORLD_RANK 7 3/8"},
		{"mpirun from a script", script + " OMPI_COMM_WORLD_RANK=7 OMPI_COMM_WORLD_SIZE=8",
			"16/ OMPI_COMM_WORLD_RANK 7 -/8"},
		{"mpirun over steps of its own",
			"SLURM_JOB_ID=16 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=7 " +
				"OMPI_COMM_WORLD_SIZE=8", "16/0 OMPI_COMM_WORLD_RANK 7 -/8"},
		{"torchrun under mpirun", torch + " OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "/ RANK 3 3/16"},
		{"PMIx", "PMIX_RANK=5 PMIX_NAMESPACE=pals-1", "/ PMIX_RANK 5 -/-"},
		{"PMIx of SLURM", task + " PMIX_RANK=5 PMIX_NAMESPACE=slurm.pmix.16.0", "16/0 SLURM_PROCID 5 1/8"},
		{"PMIx of SLURM in a shell", "SLURM_JOB_ID=16 SLURM_STEP_ID=4294967290 SLURM_PROCID=0 SLURM_NTASKS=8 " +
			"PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.16.interactive", "16/interactive"},
		{"horovodrun", "HOROVOD_RANK=5 HOROVOD_SIZE=8 HOROVOD_LOCAL_RANK=1 HOROVOD_CROSS_RANK=1",
			"/ HOROVOD_RANK 5 1/8"},
		{"horovodrun from a script", script + " HOROVOD_RANK=5 HOROVOD_SIZE=8 HOROVOD_LOCAL_RANK=1",
			"16/ HOROVOD_RANK 5 1/8"},
		{"horovodrun of one process", "HOROVOD_RANK=0 HOROVOD_SIZE=1 HOROVOD_LOCAL_RANK=0", "/"},
		{"Horovod without a size", "HOROVOD_RANK=5", "/"},
		{"Lightning: alone it says nothing", "WORLD_SIZE=4 NODE_RANK=0 LOCAL_RANK=2", "/"},
		{"Hydra", "PMI_RANK=5 PMI_SIZE=8 MPI_LOCALRANKID=1", "/ PMI_RANK 5 1/8"},
		{"PMI without a size", "PMI_RANK=5", "/"},
		{"a shell with PMI-2", "SLURM_JOB_ID=16 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 PMI_RANK=0 PMI_SIZE=1",
			"16/0"},
		{"MVAPICH", "MV2_COMM_WORLD_RANK=5 MV2_COMM_WORLD_SIZE=8 MV2_COMM_WORLD_LOCAL_RANK=1",
			"/ MV2_COMM_WORLD_RANK 5 1/8"},
		{"srun", task, "16/0 SLURM_PROCID 5 1/8"},
		{"srun without its own size", "SLURM_JOB_ID=16 SLURM_STEP_ID=2 SLURM_PROCID=5 SLURM_NTASKS=8",
			"16/2 SLURM_PROCID 5 -/8"},
		{"srun of fewer tasks than the job",
			"SLURM_JOB_ID=16 SLURM_STEP_ID=2 SLURM_PROCID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=2",
			"16/2 SLURM_PROCID 1 -/2"},
		{"srun of one task", "SLURM_JOB_ID=16 SLURM_STEP_ID=2 SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=1",
			"16/2"},
		{"the script of a job", script, "16/"},
		{"with the number of its step", script + " SLURM_STEP_ID=4294967291", "16/batch"},
		{"by ssh", "SLURM_JOB_ID=16 SLURM_STEP_ID=4294967292 SLURM_PROCID=0 SLURM_NTASKS=8", "16/extern"},
		{"outside a job", "SLURM_STEP_ID=3", "/"},
		{"not a job", "SLURM_JOB_ID=16x SLURM_STEP_ID=3", "/"},
		{"a heterogeneous job", task + " SLURM_HET_SIZE=2", "/ SLURM_PROCID 5 1/8"},
		{"an older one", task + " SLURM_PACK_SIZE=2", "/ SLURM_PROCID 5 1/8"},
		{"names that only begin so", "RANKS=3 XRANK=3 WORLD_SIZE=4", "/"},
	} {
		if got := words(ReadOrigin(strings.NewReader(environ(test.vars)))); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// An environment that cannot be read to its end proves nothing, nor does an environment with an ambiguous end.
func TestReadInPart(t *testing.T) {
	long := func(n int) string { return environ(task) + "X=" + strings.Repeat("x", n) }
	for name, test := range map[string]struct {
		from io.Reader
		want string
	}{
		"empty":    {strings.NewReader(""), "/"},
		"long":     {strings.NewReader(long(maxEnviron - 1000)), "16/0 SLURM_PROCID 5 1/8"},
		"too long": {strings.NewReader(long(maxEnviron) + "\x00RANK=0\x00WORLD_SIZE=2\x00"), "/"},
		"fails": {io.MultiReader(strings.NewReader(environ(task)),
			iotest.ErrReader(errors.New("gone"))), "/"},
		"in bits": {iotest.OneByteReader(strings.NewReader(environ(task))), "16/0 SLURM_PROCID 5 1/8"},
		"a value that is too long": {strings.NewReader(environ("RANK=" + strings.Repeat("0", maxValue) +
			"1 WORLD_SIZE=4")), "/"},
	} {
		if got := words(ReadOrigin(test.from)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A rank that one process passed on to others belongs to none of them.
func TestDropShared(t *testing.T) {
	type process struct{ pid, parent, gpu, rank int } // rank -1: none
	for _, test := range []struct {
		name string
		in   []process
		want []int
	}{
		{"torchrun", []process{{11, 10, 0, 0}, {12, 10, 1, 1}, {13, 10, 2, 2}}, []int{0, 1, 2}},
		{"spawned by one task", []process{{11, 10, 0, 3}, {12, 10, 1, 3}, {13, 10, 2, 3}}, []int{-1, -1, -1}},
		{"the task has one too", []process{{10, 9, 0, 3}, {11, 10, 1, 3}}, []int{-1, -1}},
		{"it comes last", []process{{11, 10, 0, 3}, {10, 9, 1, 3}}, []int{-1, -1}},
		{"one process on all GPUs", []process{{10, 9, 0, 3}, {10, 9, 1, 3}}, []int{3, 3}},
		{"a helper on the same GPU", []process{{10, 9, 0, 3}, {11, 10, 0, 3}}, []int{3, 3}},
		{"all on the first GPU too", []process{{11, 10, 0, 0}, {12, 10, 0, 1}, {12, 10, 1, 1}}, []int{0, 1, 1}},
		{"two programs", []process{{11, 10, 0, 0}, {12, 10, 1, 1}, {21, 20, 2, 0}, {22, 20, 3, 1}}, []int{0, 1, 0, 1}},
		{"orphans", []process{{11, 1, 0, 0}, {12, 1, 1, 0}}, []int{0, 0}},
		{"parents that are not known", []process{{11, 0, 0, 0}, {12, 0, 1, 0}}, []int{0, 0}},
		{"without ranks", []process{{11, 10, 0, -1}, {12, 10, 1, -1}}, []int{-1, -1}},
	} {
		var list []wire.Process
		for _, p := range test.in {
			q := wire.Process{PID: p.pid, GPU: p.gpu, Identity: wire.Identity{Parent: p.parent}}
			if p.rank >= 0 {
				q.Rank = &wire.Rank{Rank: p.rank, From: "SLURM_PROCID"}
			}
			list = append(list, q)
		}
		DropShared(list)
		var got []int
		for _, p := range list {
			rank := -1
			if p.Rank != nil {
				rank = p.Rank.Rank
			}
			got = append(got, rank)
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// SLURM has one task of each rank in a step. Other launchers may have started several programs there.
func TestDropSharedOfATask(t *testing.T) {
	for _, test := range []struct {
		name, from         string
		step, other        string
		gpu, rank, dropped int // of the other process; ranks that are dropped
	}{
		{"wrappers of a task", "SLURM_PROCID", "0", "0", 1, 3, 2},
		{"another task", "SLURM_PROCID", "0", "0", 1, 4, 0},
		{"another step", "SLURM_PROCID", "0", "1", 1, 3, 0},
		{"no step is known", "SLURM_PROCID", "", "", 1, 3, 0},
		{"the same GPU", "SLURM_PROCID", "0", "0", 0, 3, 0},
		{"two programs", "RANK", "0", "0", 1, 3, 0},
	} {
		list := []wire.Process{
			{PID: 11, Identity: wire.Identity{Parent: 10, Job: "16", Step: test.step,
				Rank: &wire.Rank{Rank: 3, From: test.from}}},
			{PID: 21, GPU: test.gpu, Identity: wire.Identity{Parent: 20, Job: "16", Step: test.other,
				Rank: &wire.Rank{Rank: test.rank, From: test.from}}},
		}
		DropShared(list)
		dropped := 0
		for _, p := range list {
			if p.Rank == nil {
				dropped++
			}
		}
		if dropped != test.dropped {
			t.Errorf("%s: %d ranks are dropped, want %d", test.name, dropped, test.dropped)
		}
	}
}

// The cgroup says in which step a process is. Variables of SLURM that are of another step are not about it.
func TestOriginInCgroup(t *testing.T) {
	for _, test := range []struct{ name, vars, job, step, want string }{
		{"no cgroup", task, "", "", "16/0 SLURM_PROCID 5 1/8"},
		{"the same", task, "16", "0", "16/0 SLURM_PROCID 5 1/8"},
		{"without a step", task, "16", "", "16/ SLURM_PROCID 5 1/8"},
		{"the script of a job that was submitted in a step", strings.Replace(task, "JOB_ID=16", "JOB_ID=17", 1), "17",
			"batch", "17/batch"},
		{"another job", task, "17", "0", "17/0"},
		{"another step", task, "16", "1", "16/1"},
		{"torchrun there", task + torch, "16", "batch", "16/batch RANK 3 3/16"},
		{"a heterogeneous job", task + " SLURM_HET_SIZE=2", "17", "0", "17/0 SLURM_PROCID 5 1/8"},
		{"nothing in the environment", "", "16", "0", "16/0"},
	} {
		if got := words(ReadOrigin(strings.NewReader(environ(test.vars))).In(JobMember{Job: test.job,
			Step: test.step})); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Whatever the environment of a process has, the result is short and possible.
func FuzzRead(f *testing.F) {
	f.Add(environ(task + torch))
	f.Fuzz(func(t *testing.T, environ string) {
		o := ReadOrigin(strings.NewReader(environ))
		if len(o.Job) > 10 || len(o.Step) > len("interactive") || strings.Trim(o.Job, "0123456789") != "" {
			t.Errorf("%+v", o)
		}
		if r := o.Rank; r != nil && (r.Rank < 0 || r.World != nil && *r.World <= r.Rank || r.Local != nil &&
			*r.Local > r.Rank) {
			t.Errorf("%s", words(o))
		}
	})
}
