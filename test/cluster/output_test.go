package cluster

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

func TestJSON(t *testing.T) {
	job(t, nodes)
	r := runs(t, "--json")
	if r.code != 0 {
		t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
	}
	t.Logf("%d nodes answered in %.1f s", nodes, r.took.Seconds())
	validate(t, r.stdout)
	d := r.json(t)
	if len(d.Jobs) != 1 || d.Jobs[0].GPUs != 4*nodes || len(d.Nodes) != nodes {
		t.Fatalf("%d jobs, %d nodes in\n%s", len(d.Jobs), len(d.Nodes), r.stdout)
	}
	for _, n := range d.Nodes {
		if n.State != "reporting" || len(n.GPUs) != 4 || n.Host["memory_total_bytes"] < 1<<20 || n.Driver == "" {
			t.Errorf("%s: %+v", n.Name, n)
		}
		for _, key := range []string{"load5", "load15", "swap_total_bytes", "disk_total_bytes", "disk_free_bytes",
			"tmp_total_bytes", "tmp_free_bytes", "shm_total_bytes", "shm_free_bytes"} {
			if _, has := n.Host[key]; !has {
				t.Errorf("%s has no %s", n.Name, key)
			}
		}
		for i, g := range n.GPUs {
			for _, key := range []string{"util_percent", "memory_used_bytes", "power_watts", "temperature_celsius",
				"sm_mhz", "uuid"} {
				if g[key] == nil {
					t.Errorf("%s GPU%d has no %s", n.Name, i, key)
				}
			}
		}
		if len(n.Processes) != 4 || n.Processes[0]["user"] != "alice" || n.Processes[0]["name"] != "gpuwork" {
			t.Errorf("%s: processes %v", n.Name, n.Processes)
		}
	}
}

func validate(t *testing.T, text string) {
	t.Helper()
	valid.Document(t, export.Schema, []byte(text))
}

// The times of a job are right in a time zone that glibc knows and Go does not.
func TestTimeZone(t *testing.T) {
	job(t, 1)
	for _, zone := range []string{"JST-9", "CET-1CEST,M3.5.0,M10.5.0/3", "America/New_York"} {
		out := do(t, "on", "-u", "alice", "login", "/usr/bin/env", "TZ="+zone, program, "--json")
		jobs := result{stdout: out}.json(t).Jobs
		if len(jobs) != 1 || time.Since(jobs[0].Start).Abs() > time.Minute {
			t.Errorf("TZ=%s: at %v, printed %s", zone, time.Now(), out)
		}
	}
}

// A program that runs often takes SLURM's last answer, which says when it was given.
func TestMaxAge(t *testing.T) {
	id := job(t, 2)
	const state = "/home/alice/max-age"
	t.Cleanup(func() { do(t, "on", "login", "rm", "-rf", state) })
	remembering := []string{"env", "XDG_STATE_HOME=" + state, program}
	answered := regexp.MustCompile(`"answered": "[^"]+"`)
	first := runsProgram(t, remembering, "--json", "--max-age", "10m")
	next := runsProgram(t, remembering, "--json", "--first-sample", "--max-age", "10m")
	at := answered.FindString(first.stdout)
	if first.code != 0 || next.code != 0 || at == "" || answered.FindString(next.stdout) != at {
		t.Errorf("exit codes %d and %d, %s, then %s", first.code, next.code, at, answered.FindString(next.stdout))
	}
	if d := next.json(t); len(d.Jobs) != 1 || d.Jobs[0].ID != id || d.Jobs[0].GPUs != 8 {
		t.Errorf("jobs %+v", d.Jobs)
	}
	if now := runsProgram(t, remembering, "--json", "--first-sample"); answered.FindString(now.stdout) == at {
		t.Error("without the flag the old answer is taken")
	}
}

func TestJSONWithAFailedNode(t *testing.T) {
	job(t, 3)
	fault(t, "reject", "node02")
	// a node that refuses before another one has answered is reached through SLURM
	r := runs(t, "--json", "--transport", "ssh")
	if want := "nvnodetop: 1 of 3 nodes not reporting: node02 ("; !strings.Contains(r.stderr, want) ||
		strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("stderr %q, want one line with %q", r.stderr, want)
	}
	if r.code != 1 {
		t.Errorf("exit code %d, want 1: a node failed", r.code)
	}
	validate(t, r.stdout)
	for _, n := range r.json(t).Nodes {
		want := "reporting"
		if n.Name == "node02" {
			want = "failed"
		}
		if n.State != want {
			t.Errorf("%s is %s, want %s", n.Name, n.State, want)
		}
	}
}

func TestOnce(t *testing.T) {
	id := job(t, 2)
	r := runs(t, "--once")
	if r.code != 0 || !all(r.stdout, []string{"Job " + id, "node01", "node02", "USED/TOT GiB", "A100"}) {
		t.Errorf("exit code %d, stderr %q, printed\n%s", r.code, r.stderr, r.stdout)
	}
	if strings.Contains(r.stdout, "\x1b") {
		t.Error("escape sequences in what is not a terminal")
	}
}

func TestNoJobs(t *testing.T) {
	for _, flag := range []string{"--json", "--once"} {
		if r := runs(t, flag); r.code != 3 || !strings.Contains(r.stderr, "no running job") {
			t.Errorf("%s: exit code %d, stderr %q; want 3 and why", flag, r.code, r.stderr)
		}
	}
	w := watch(t)
	w.sees("No running SLURM jobs found", "squeue --me")
	w.quits()
}

func TestNodesByHand(t *testing.T) {
	r := runs(t, "--json", "--nodes", "node[01-02],nosuch")
	d := r.json(t)
	if r.code != 1 || len(d.Nodes) != 3 {
		t.Fatalf("exit code %d, %s", r.code, r.stdout)
	}
	for i, want := range []string{"reporting", "reporting", "failed"} {
		if d.Nodes[i].State != want {
			t.Errorf("%s is %s, want %s", d.Nodes[i].Name, d.Nodes[i].State, want)
		}
	}
	if f := d.Nodes[2].Failure; f.Class != "unknown_host" {
		t.Errorf("an unknown name is %+v", f)
	}
}

// On a host without SLURM, nvnodetop shows the GPUs of that host.
func TestThisHost(t *testing.T) {
	out := do(t, "on", "-u", "alice", "node01", "/usr/bin/env", "PATH=/nowhere", program, "--json")
	d := result{stdout: out}.json(t)
	if len(d.Nodes) != 1 || d.Nodes[0].Name != "node01" || d.Nodes[0].State != "reporting" ||
		len(d.Nodes[0].GPUs) != 4 {
		t.Errorf("printed %s", out)
	}
}

func TestAdopt(t *testing.T) {
	fault(t, "adopt", "node03")
	d := runs(t, "--json", "--nodes", "node03").json(t)
	if f := d.Nodes[0].Failure; f.Class != "adopt" || !strings.Contains(f.Words, "no active jobs on this node") {
		t.Errorf("%+v", f)
	}
	w := watch(t, "--nodes", "node03")
	w.sees("login refused (pam_slurm_adopt)", "Access denied by pam_slurm_adopt: you have no active jobs on this node")
	w.quits()
}

func TestNoisyLogin(t *testing.T) {
	fault(t, "noisy", "node01")
	if r := runs(t, "--json", "--nodes", "node01"); r.code != 0 {
		t.Errorf("exit code %d behind a noisy login: %s", r.code, r.stdout)
	}
}

// The old library lacks the newer names of functions. The older names return the same values.
func TestOldDriver(t *testing.T) {
	job(t, 1)
	fault(t, "olddriver", "node01")
	r := runs(t, "--json")
	gpu := r.json(t).Nodes[0].GPUs[0]
	for _, key := range []string{"util_percent", "memory_used_bytes", "temperature_celsius", "power_watts", "sm_mhz"} {
		if gpu[key] == nil {
			t.Errorf("%s is missing", key)
		}
	}
	if r.code != 0 || len(r.json(t).Nodes[0].Processes) != 4 {
		t.Errorf("exit code %d: %s", r.code, r.stdout)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"abc"}, {"0"}, {"5", "2", "1"}, {"--nonsense"}, {"-3"}, {"5", "x"},
		{"--nodes", "a[1-"}, {"--colors", "blue"}, {"5", "2"}} {
		r := runs(t, args...)
		if r.code != 2 || strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "nvnodetop: ") ||
			r.stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2 and one line", args, r.code, r.stdout, r.stderr)
		}
	}
	if r := runs(t); !strings.Contains(r.stderr, "--once") {
		t.Errorf("not a terminal: %q does not name --once", r.stderr)
	}
}
