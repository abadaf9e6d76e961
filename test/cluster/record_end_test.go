package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// recordingOf is a path for a recording, in alice's home directory, which all hosts see.
func recordingOf(t *testing.T, name string) string {
	t.Helper()
	path := "/home/alice/" + name + ".nvr"
	clear := func() { do(t, "on", "login", "rm", "-f", path) }
	clear()
	t.Cleanup(clear)
	return path
}

// endsWell checks that a recording ends with the named jobs and nodes, and that all nodes report.
func endsWell(t *testing.T, path string, jobs []string, nodes int) {
	t.Helper()
	r := runs(t, "replay", "--json", path)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("replay --json %s: exit code %d, stderr %q", path, r.code, r.stderr)
	}
	d := r.json(t)
	if len(d.Jobs) != len(jobs) || len(d.Nodes) != nodes {
		t.Errorf("%s: %d jobs and %d nodes, want %v and %d", path, len(d.Jobs), len(d.Nodes), jobs, nodes)
	}
	for i := range min(len(jobs), len(d.Jobs)) {
		if d.Jobs[i].ID != jobs[i] {
			t.Errorf("%s: job %s, want %s", path, d.Jobs[i].ID, jobs[i])
		}
	}
	for _, n := range d.Nodes {
		if n.State != "reporting" || len(n.GPUs) != 4 {
			t.Errorf("%s: %s is %s with %d GPUs", path, n.Name, n.State, len(n.GPUs))
		}
	}
}

// bothReport waits until the nodes of a job of two nodes have a probe each, and then until they have reported.
func bothReport(t *testing.T) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		if found := byNode(t, "nvnodetop-probe"); found["node01"] == 1 && found["node02"] == 1 {
			break
		} else if time.Since(began) > slack {
			t.Fatalf("probes: %v", found)
		}
	}
	time.Sleep(8 * time.Second)
}

// However a recording ends, its last state has the nodes as they were, not as silent because nvnodetop has left them.
func TestARecordingEndsWithTheNodesAsTheyWere(t *testing.T) {
	id := job(t, 2)
	runsNow(t, id)
	run := map[string]func(t *testing.T, path string){
		"Ctrl-C": func(t *testing.T, path string) {
			w := watchProgram(t, 120, 40, program, "record", path, "1")
			bothReport(t)
			w.types("\x03") // Ctrl-C ends everything in the terminal: the exit code is not that of the program
			for began := time.Now(); !strings.Contains(w.Raw(), "recorded "); time.Sleep(100 * time.Millisecond) {
				if time.Since(began) > slack {
					t.Fatalf("it printed %q", w.Raw())
				}
			}
		},
		"SIGTERM": func(t *testing.T, path string) {
			ended := make(chan result, 1)
			go func() {
				ended <- runsProgram(t, []string{"sh", "-c", `echo $$ >"$1".pid; exec "$2" record "$1" 1`, "sh", path,
					program})
			}()
			bothReport(t)
			do(t, "on", "login", "sh", "-c", fmt.Sprintf("kill $(cat %s.pid); rm %[1]s.pid", path))
			if r := <-ended; r.code != 0 || !strings.HasPrefix(r.stdout, "recorded ") || r.stderr != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
			}
		},
		"q": func(t *testing.T, path string) {
			w := watchProgram(t, 120, 40, "sh", "-c",
				fmt.Sprintf("cd $(mktemp -d) && %s 1 1 --view node && mv *.nvr %s", program, path))
			w.well()
			w.types("\x0b")
			w.sees("recording to ")
			time.Sleep(4 * time.Second)
			w.quits()
		},
		"serve": func(t *testing.T, path string) {
			s := serves(t, "--record", path, "1")
			time.Sleep(2 * time.Second)
			if err := s.stop(); err != nil || !strings.Contains(s.out.String(), "recorded ") {
				t.Errorf("%v: %s", err, s.out.String())
			}
		},
	}
	for name, end := range run {
		t.Run(name, func(t *testing.T) {
			dog.Watch(t)
			path := recordingOf(t, "end-"+name)
			end(t, path)
			endsWell(t, path, []string{id}, 2)
		})
	}
}

// In batch scripts of a user who has another job, record and track --record watch their own job only, and no other node
// gets a probe. Between them the probes of the first have time to end.
func TestABatchScriptRecordsItsOwnJob(t *testing.T) {
	other := job(t, 2)
	runsNow(t, other)
	recorded, tracked := recordingOf(t, "batch-record"), recordingOf(t, "batch-track")
	line := fmt.Sprintf(`%[1]s record %[2]s 1 & recorder=$!; sleep 20; kill $recorder; wait $recorder && sleep 8 && %[1]s track --st 1 --record %[3]s -- srun timeout 20 gpuwork`,
		program, recorded, tracked)
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-N", "2", "--ntasks-per-node=4", "--gres=gpu:4",
		"-J", "batch", "-o", "/home/alice/record.out", "--wrap", line)
	t.Cleanup(func() { cancelJob(t, id) })
	most := 0
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		if state := do(t, "on", "login", "scontrol", "show", "job", "-o", id); !strings.Contains(state,
			"JobState=RUNNING") && !strings.Contains(state, "JobState=PENDING") {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the job still runs: %s", state)
		}
		for node, n := range byNode(t, "nvnodetop-probe") {
			if n > 1 {
				n = stay(t, node)
			}
			if most = max(most, n); n > 0 && (node == "node01" || node == "node02") {
				t.Errorf("%d probes on %s, which only job %s has", n, node, other)
			}
		}
	}
	said := do(t, "on", "login", "cat", "/home/alice/record.out")
	if !strings.Contains(said, "recorded ") || most != 1 {
		t.Errorf("at most %d probes on a node; it printed %q", most, said)
	}
	for _, path := range []string{recorded, tracked} {
		endsWell(t, path, []string{id}, 2)
	}
}

// stay returns how many probes of a node are there now and still there after 2 s: one that ends takes a moment.
func stay(t *testing.T, node string) (n int) {
	t.Helper()
	list := func() []string { return strings.Fields(do(t, "on", node, "sh", "-c", "pgrep nvnodetop-probe; true")) }
	before := list()
	t.Logf("probes on %s:\n%s", node, do(t, "on", node, "ps", "-eo", "pid,ppid,etimes,stat,wchan:20,args", "--forest"))
	time.Sleep(2 * time.Second)
	for _, pid := range list() {
		if slices.Contains(before, pid) {
			n++
		}
	}
	return max(n, 1) // at least one follows on the others
}
