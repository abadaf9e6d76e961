package cluster

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// srun knows a component of a heterogeneous job by the number of the first one. Each component shows its own GPUs.
func TestSrunInAHeterogeneousJob(t *testing.T) {
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-N1", "-w", "node01", "--gres=gpu:2", "-o",
		"/dev/null",
		":", "-N2", "-w", "node02,node03", "--gres=gpu:1", "-o", "/dev/null", "--wrap", "sleep 600")
	t.Cleanup(func() { cancelJob(t, id) })
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if do(t, "on", "login", "squeue", "-h", "-j", id, "-o", "%t") == "R\nR" {
			break
		}
		if time.Since(began) > slack {
			t.Fatal("the job does not start")
		}
	}
	d := runs(t, "--transport", "srun", "--json", "--timeout", "40s").json(t)
	var got []string
	for _, j := range d.Jobs {
		first, component, _ := strings.Cut(j.ID, "+")
		if first != id || j.GPUs != 2 || j.Seen != 2 {
			t.Errorf("%+v", j)
		}
		got = append(got, component+" "+strings.Join(j.Nodes, ","))
	}
	if want := []string{"0 node01", "1 node02,node03"}; !slices.Equal(got, want) {
		t.Errorf("components %q, want %q", got, want)
	}
	for _, n := range d.Nodes {
		if n.State != "reporting" || n.Transport != "srun" {
			t.Errorf("%s is %s through %q", n.Name, n.State, n.Transport)
		}
	}
}

// A probe that is stopped reads nothing of the messages to all nodes of the step. The others continue, and so does it
// when it can.
func TestSrunWithAStoppedProbe(t *testing.T) {
	job(t, 3)
	w := watch(t, "--transport", "srun")
	w.sees("12 of 12 GPUs, 3 of 3 nodes reporting")
	do(t, "fault", "stopprobe", "node02")
	w.sees("node02 not responding", "8 of 12 GPUs, 2 of 3 nodes reporting")
	do(t, "fault", "contprobe", "node02")
	w.sees("12 of 12 GPUs, 3 of 3 nodes reporting")
	do(t, "fault", "stopprobe", "node02")
	w.quits()
	stepsAre(t, "") // SLURM kills the task
	gone(t, 5*time.Second)
}

// srun ignores SIGTERM while its job is suspended, and the probes are frozen. The screen names the reason, and nothing
// is left.
func TestSrunInASuspendedJob(t *testing.T) {
	id := job(t, 2)
	w := watch(t, "--transport", "srun")
	w.sees(reporting(2, 2))
	do(t, "on", "login", "scontrol", "suspend", id)
	resume := func() { _, _ = script("on", "login", "scontrol", "resume", id) }
	t.Cleanup(resume)
	w.types("r")
	w.sees(" suspended", "the job is suspended")
	noSrun(t)
	resume()
	w.types("r")
	w.sees(reporting(2, 2))
	do(t, "on", "login", "scontrol", "suspend", id)
	w.quits() // before squeue knows
	noSrun(t)
	resume()
	stepsAre(t, "")
	gone(t, 5*time.Second)
}

// noSrun checks that no srun runs on the login host, 2 s later at the latest.
func noSrun(t *testing.T) {
	t.Helper()
	left := ""
	for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(100 * time.Millisecond) {
		if left = do(t, "on", "login", "sh", "-c", "pgrep -a -x srun | cut -c1-80; true"); left == "" {
			return
		}
	}
	t.Errorf("left:\n%s", left)
}

// A user with a token asks SLURM with it. srun gets none: from 26.05 on it refuses to start with one.
func TestSrunWithAToken(t *testing.T) {
	fault(t, "ctldtokens")
	id := job(t, 1)
	runsNow(t, id)
	token := do(t, "on", "-u", "alice", "login", "scontrol", "token")
	r := runsProgram(t, []string{"env", token, program}, "--transport", "srun", "--json")
	d := r.json(t)
	if r.code != 0 || len(d.Nodes) != 1 || d.Nodes[0].Transport != "srun" || len(d.Nodes[0].GPUs) != 4 {
		t.Errorf("exit code %d, nodes %+v; it said %q", r.code, d.Nodes, r.stderr)
	}
}
