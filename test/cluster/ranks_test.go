package cluster

import (
	"strings"
	"testing"
	"time"
)

// The rank table has the tasks of all nodes of a job. A task that ends while the others run keeps its row, which says
// so.
func TestRankTable(t *testing.T) {
	job(t, 2)
	w := watch(t)
	w.well()
	w.types("m")
	w.sees("Ranks of job", "8 of 8 ranks", "0 node01 0", "7 node02 3")
	do(t, "on", "node02", "sh", "-c", "kill $(pgrep -n -u alice -x gpuwork)")
	w.sees("7 of 8 ranks", "1 gone", "of 8 is gone, last seen")
	w.types("n\r")
	w.sees("A100-SXM4-80GB", "UUID", "Links and errors")
	w.quits()
}

// The ranks that a job gives its processes count; SLURM's ranks count if there are no others.
func TestRanksInJSON(t *testing.T) {
	inEachLayout(t, []string{"node01", "node02"}, func(t *testing.T, _ layout) { ranksInJSON(t) })
}

func ranksInJSON(t *testing.T) {
	for from, script := range map[string]string{
		"SLURM_PROCID": "srun gpuwork",
		"RANK":         "srun sh -c 'RANK=$((7 - SLURM_PROCID)) WORLD_SIZE=8 exec gpuwork'",
	} {
		t.Run(from, func(t *testing.T) {
			id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node[01-02]", "-N", "2",
				"--ntasks-per-node=4", "--gres=gpu:4",
				"-o", "/dev/null", "--wrap", script)
			t.Cleanup(func() { cancelJob(t, id) })
			r := runs(t, "--json")
			for range 30 {
				if d := r.json(t); len(d.Jobs) == 1 && len(d.Jobs[0].Ranks) == 8 && d.Nodes[0].Processes != nil &&
					d.Nodes[1].Processes != nil {
					break
				}
				time.Sleep(200 * time.Millisecond)
				r = runs(t, "--json")
			}
			validate(t, r.stdout)
			d := r.json(t)
			if len(d.Jobs) != 1 || len(d.Jobs[0].Ranks) != 8 {
				t.Fatalf("not 8 ranks in\n%s", r.stdout)
			}
			for i, rank := range d.Jobs[0].Ranks {
				node := "node01"
				if (i > 3) == (from == "SLURM_PROCID") {
					node = "node02"
				}
				if rank.Rank != i || rank.World != 8 || rank.State != "runs" || rank.Node != node || rank.PID == 0 {
					t.Errorf("rank %d is %+v", i, rank)
				}
			}
			if p := d.Nodes[0].Processes[0]; p["rank_variable"] != from || p["job_number"] != id || p["step"] != "0" ||
				p["state"] != "S" || p["threads"] != 1.0 {
				t.Errorf("process %v", p)
			}
		})
	}
}

// A program that has written a title over its environment has no rank, and says why. Its stack comes with the rank.
func TestOverwrittenEnvironment(t *testing.T) {
	title := do(t, "put", "testdata/title.py")
	for how, reason := range map[string]any{"none": nil, "zeros": "environment_overwritten",
		"one": "environment_overwritten"} {
		t.Run(how, func(t *testing.T) {
			id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node01", "-n", "4", "--gres=gpu:4",
				"-o", "/dev/null", "--wrap", "srun sh -c 'RANK=$SLURM_PROCID WORLD_SIZE=4 "+
					"exec python3 "+title+" "+how+"'")
			t.Cleanup(func() { cancelJob(t, id) })
			var r result
			for range 30 {
				r = runs(t, "--json")
				if d := r.json(t); len(d.Jobs) == 1 && len(d.Nodes[0].Processes) == 4 {
					break
				}
				time.Sleep(200 * time.Millisecond)
			}
			validate(t, r.stdout)
			d := r.json(t)
			if len(d.Jobs) != 1 || len(d.Nodes[0].Processes) != 4 {
				t.Fatalf("not 4 processes in\n%s", r.stdout)
			}
			ranks := 0
			for _, p := range d.Nodes[0].Processes {
				if p["no_rank"] != reason || (p["rank"] == nil) != (reason != nil) || p["job_number"] != id {
					t.Errorf("process %v", p)
				}
			}
			if reason == nil {
				ranks = 4
			}
			if len(d.Jobs[0].Ranks) != ranks {
				t.Errorf("%d ranks, want %d", len(d.Jobs[0].Ranks), ranks)
			}
			looked := runs(t, "stacks")
			for _, want := range []string{"All 4 ranks are in wait (title.py:", "ranks 0-3"} {
				if !strings.Contains(looked.stdout, want) || strings.Contains(looked.stdout, "not known") {
					t.Errorf("there is no %q in\n%s", want, looked.stdout)
				}
			}
		})
	}
}
