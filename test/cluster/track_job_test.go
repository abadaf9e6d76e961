package cluster

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A job is canceled while it is tracked: the report has its nodes, GPUs and processes, and the way it ended.
func TestTrackJob(t *testing.T) {
	id := job(t, 2)
	canceled := make(chan error, 1)
	time.AfterFunc(10*time.Second, func() {
		_, err := script("on", "login", "scancel", id)
		canceled <- err
	})
	r := runs(t, "track", "--job", id, "--format", "json")
	if err := <-canceled; err != nil {
		t.Fatal(err)
	}
	if r.code != 0 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	var doc struct {
		Job   struct{ ID, State string }
		Total struct {
			Nodes int
			Seen  int                                 `json:"gpus_seen"`
			Hours struct{ Given, Seen, Used float64 } `json:"gpu_hours"`
			Util  struct{ Mean float64 }              `json:"util_percent"`
		}
		Nodes []struct {
			Name string
			GPUs []struct{ UUID string }
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
		t.Fatalf("%v in %q", err, r.stdout)
	}
	h := doc.Total.Hours
	if doc.Job.ID != id || doc.Job.State != "CANCELLED" || doc.Total.Nodes != 2 || doc.Total.Seen != 8 ||
		len(doc.Nodes) != 2 || len(doc.Nodes[1].GPUs) != 4 {
		t.Errorf("printed %s", r.stdout)
	}
	if h.Given < 8*5./3600 || h.Given > 8*60./3600 || h.Seen > h.Given || h.Used > h.Seen {
		t.Errorf("GPU-hours %+v of a job that ran for about 10 s", h)
	}
	for _, job := range []string{id, "999999"} { // it has ended, or there is none
		if r := runs(t, "track", "--job", job); r.code != 3 || !strings.Contains(r.stderr, "no job") ||
			strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("job %s: exit code %d, stderr %q", job, r.code, r.stderr)
		}
	}
}

// In a batch script the report covers the job's nodes while srun runs, and the job ends with the exit code of srun.
func TestTrackInABatchScript(t *testing.T) {
	const file = "/home/alice/track.json"
	line := program + " track -f json --st 1 -o " + file + ` -- srun sh -c 'timeout 12 gpuwork; exit 3'`
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-N", "2", "--ntasks-per-node=4", "--gres=gpu:4",
		"-J", "batch", "-o", "/home/alice/track.out", "--wrap", line)
	t.Cleanup(func() { cancelJob(t, id) })
	state := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(state, "EndTime=20") ||
		strings.Contains(state, "JobState=RUNNING"); time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("the job still runs: %s", state)
		}
		state = do(t, "on", "login", "scontrol", "show", "job", "-o", id)
	}
	said := do(t, "on", "login", "cat", "/home/alice/track.out")
	if !strings.Contains(state, "ExitCode=3:0") {
		t.Errorf("%s, it printed %q", state, said)
	}
	var doc struct {
		Job   struct{ ID string }
		Total struct {
			Nodes int
			Seen  int `json:"gpus_seen"`
		}
		Nodes []struct{ Name string }
	}
	text := do(t, "on", "login", "cat", file)
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Job.ID != id || doc.Total.Nodes != 2 ||
		doc.Total.Seen != 8 || len(doc.Nodes) != 2 {
		t.Errorf("%v in %s; it printed %q", err, text, said)
	}
}
