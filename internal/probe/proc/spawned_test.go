package proc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// spawning is a process on a GPU with its variables.
type spawning struct {
	pid, parent, gpu int
	vars             string
}

// Processes that the first process has started have the ranks that it gave them, or none.
func TestPlaceSpawned(t *testing.T) {
	const one = "WORLD_SIZE=4 NODE_RANK=0 MASTER_ADDR=n1 MASTER_PORT=5000 "
	const second = "WORLD_SIZE=8 NODE_RANK=1 MASTER_ADDR=n1 MASTER_PORT=5000 SLURM_NNODES=2 "
	child := func(vars string, local int) spawning {
		return spawning{10 + local, 10, local, fmt.Sprintf("%sLOCAL_RANK=%d", vars, local)}
	}
	whole := func(vars string) []spawning {
		return []spawning{{10, 9, 0, ""}, child(vars, 1), child(vars, 2), child(vars, 3)}
	}
	for _, test := range []struct {
		name string
		on   []spawning
		want string // the rank of each, - for none
	}{
		{"Lightning on one node", whole(one), "0 1 2 3"},
		{"the first of two nodes", whole(strings.Replace(second, "NODE_RANK=1", "NODE_RANK=0", 1)), "0 1 2 3"},
		{"the second", whole(second), "4 5 6 7"},
		{"the second, of how many nodes is not known", whole(strings.Replace(second, "SLURM_NNODES=2 ", "", 1)),
			"- - - -"},
		{"the program runs on fewer nodes than the job has", whole(strings.Replace(second, "NNODES=2", "NNODES=4", 1)),
			"- - - -"},
		{"one of the second has ended: how many there are per node is not certain", whole(second)[:3], "- - -"},
		{"one in the middle has", append(whole(second)[:2], whole(second)[3]), "- - -"},
		{"one of the first node has ended", append(whole(one)[:2], whole(one)[3]), "0 1 3"},
		{"the first process is on no GPU", whole(one)[1:], "1 2 3"},
		{"a helper of a child has inherited", append(whole(one), spawning{20, 13, 0, one + "LOCAL_RANK=3"}),
			"0 1 2 3 -"},
		{"a helper of the first process has inherited", append(whole(one), spawning{20, 10, 3, one + "LOCAL_RANK=0"}),
			"- - - - -"},
		{"a helper of the first process alone", []spawning{{10, 9, 0, ""}, {20, 10, 1, one + "LOCAL_RANK=0"}}, "- -"},
		{"one process on all GPUs", []spawning{{10, 9, 0, ""}, {10, 9, 1, ""}, {10, 9, 2, ""}}, "- - -"},
		{"a child on two GPUs", append(whole(one), spawning{13, 10, 4, one + "LOCAL_RANK=3"}), "0 1 2 3 3"},
		{"two of one rank", append(whole(one), spawning{21, 10, 4, one + "LOCAL_RANK=3"}), "- - - - -"},
		{"two programs", append(whole(one), spawning{30, 9, 4, ""},
			spawning{31, 30, 5, strings.Replace(one, "5000", "6000", 1) + "LOCAL_RANK=1"}), "0 1 2 3 0 1"},
		{"orphans", []spawning{{11, 1, 1, one + "LOCAL_RANK=1"}, {12, 1, 2, one + "LOCAL_RANK=2"}}, "- -"},
		{"exported by the script for all", []spawning{{11, 9, 0, one + "LOCAL_RANK=0"},
			{12, 9, 1, one + "LOCAL_RANK=0"}}, "- -"},
		{"torchrun says more", []spawning{{11, 9, 0, one + "LOCAL_RANK=0 RANK=0"},
			{12, 9, 1, one + "LOCAL_RANK=1 RANK=1"}}, "0 1"},
		{"RANK of something else", []spawning{{11, 9, 0, one + "LOCAL_RANK=0 RANK=64"},
			{12, 9, 1, one + "LOCAL_RANK=1 RANK=64"}}, "- -"},
		{"beyond its world", []spawning{{10, 9, 0, ""}, {14, 10, 1, one + "LOCAL_RANK=4"}}, "- -"},
		{"without the number of the node", []spawning{{10, 9, 0, ""}, {11, 10, 1, "WORLD_SIZE=2 LOCAL_RANK=1"}}, "- -"},
	} {
		var list []wire.Process
		origins := map[int]Origin{}
		for _, s := range test.on {
			o := ReadOrigin(strings.NewReader(environ(s.vars)))
			origins[s.pid] = o
			list = append(list, wire.Process{PID: s.pid, GPU: s.gpu,
				Identity: wire.Identity{Parent: s.parent, Rank: o.Rank}})
		}
		PlaceSpawned(list, func(pid int) *Spawned { return origins[pid].Spawned })
		DropShared(list)
		var got []string
		for _, p := range list {
			rank := "-"
			if p.Rank != nil {
				rank = fmt.Sprint(p.Rank.Rank)
			}
			got = append(got, rank)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// All ranks of a program have its hash, and no other program has it. No value can be read in it.
func TestProgram(t *testing.T) {
	of := func(vars string) string {
		r := ReadOrigin(strings.NewReader(environ(vars))).Rank
		if r == nil {
			t.Fatalf("%s: no rank", vars)
		}
		return r.Program
	}
	const torchrun = "RANK=0 WORLD_SIZE=4 MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none"
	for _, test := range []struct {
		name, one, other string
		same             bool
	}{
		{"ranks of torchrun", torchrun, strings.Replace(torchrun, "RANK=0", "RANK=3 LOCAL_RANK=1", 1), true},
		{"another port", torchrun, strings.Replace(torchrun, "29500", "29501", 1), false},
		{"another run", torchrun, strings.Replace(torchrun, "=none", "=7", 1), false},
		{"another host", torchrun, strings.Replace(torchrun, "10.0.0.1", "10.0.0.2", 1), false},
		{"on this host", strings.Replace(torchrun, "10.0.0.1", "127.0.0.1", 1),
			strings.Replace(torchrun, "10.0.0.1", "127.0.0.1", 1), true},
		{"tasks of a step", task, strings.Replace(task, "PROCID=5", "PROCID=6", 1), true},
		{"of two steps", task, strings.Replace(task, "STEP_ID=0", "STEP_ID=1", 1), false},
		{"mpirun", "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=prterun-1@1",
			"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=prterun-2@1", false},
	} {
		if a, b := of(test.one), of(test.other); (a == b) != test.same || len(a) != 8 {
			t.Errorf("%s: %q and %q", test.name, a, b)
		}
	}
	if got := of("RANK=0 WORLD_SIZE=4"); got != "" {
		t.Errorf("nothing names the program, and it is %q", got)
	}
}
