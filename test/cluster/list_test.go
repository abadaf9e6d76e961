package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// SLURM's count of allocated GPUs is the number that the job has.
func TestAvailableOnTheCluster(t *testing.T) {
	runsNow(t, job(t, 2))
	r := runs(t, "available", "--cluster", "--json")
	var d struct {
		Partitions []struct {
			Name, State string
			Default     bool
			GPUs        []struct {
				Type                   string
				Free, Used, Out, Total int
			}
		}
		Nodes []struct {
			Name string
			GPUs []struct{ Used int }
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &d); r.code != 0 || err != nil || len(d.Partitions) == 0 ||
		len(d.Nodes) != nodes {
		t.Fatalf("exit code %d, stderr %q, %v in\n%s", r.code, r.stderr, err, r.stdout)
	}
	p := d.Partitions[0]
	if len(p.GPUs) != 1 || p.GPUs[0].Type != "a100" || p.GPUs[0].Used != 8 || p.GPUs[0].Total != 4*nodes ||
		p.GPUs[0].Free+p.GPUs[0].Out != 4*nodes-8 || p.State != "up" {
		t.Errorf("partition %+v", p)
	}
	if text := runs(t, "available", "--cluster"); text.code != 0 ||
		!strings.Contains(text.stdout, fmt.Sprintf("a100  %4d  ", p.GPUs[0].Free)) {
		t.Errorf("exit code %d, printed\n%s", text.code, text.stdout)
	}
}

// On a node whose GPUs a job uses none is available, and the list names their users.
func TestAvailableAndList(t *testing.T) {
	id := job(t, 1)
	runsNow(t, id)
	for _, args := range [][]string{{"--job", id}, {"--nodes", "node01", "-l", "1"}} {
		if r := runs(t, append([]string{"available"}, args...)...); r.code != 1 || r.stdout != "" ||
			!strings.Contains(r.stderr, "too few free GPUs") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, r.code, r.stdout, r.stderr)
		}
	}
	if r := runs(t, "available", "--nodes", "node01", "-n", "2", "--max-memory-percent", "100"); r.code != 0 ||
		r.stdout != "node01 0,1\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	r := runs(t, "list") // login has no GPU, so the nodes of the job are listed
	if r.code != 0 || strings.Count(r.stdout, "[~]") != 4 || !all(r.stdout, []string{"alice", "A100", "gpuwork"}) {
		t.Errorf("exit code %d, stderr %q, printed\n%s", r.code, r.stderr, r.stdout)
	}
	here := do(t, "on", "-u", "alice", "node01", program, "list", "--json=gpustat")
	var host struct {
		Hostname string
		GPUs     []struct{ Processes []struct{ Username string } }
	}
	if err := json.Unmarshal([]byte(here), &host); err != nil || host.Hostname != "node01" || len(host.GPUs) != 4 ||
		len(host.GPUs[0].Processes) != 1 {
		t.Errorf("%v in %s", err, here)
	}
}
