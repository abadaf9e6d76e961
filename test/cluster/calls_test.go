package cluster

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// asks runs test/ask as alice on login and returns the reply of the probe.
func asks(t *testing.T, ask string, args ...string) (reply wire.Reply) {
	t.Helper()
	out := do(t, append([]string{"on", "-u", "alice", "login", ask}, args...)...)
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		t.Fatalf("ask %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return reply
}

// half starts a job of user on two GPUs of node01.
func half(t *testing.T, user string) string {
	t.Helper()
	id := do(t, "on", "-u", user, "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:2", "-J", "half", "-o", "/dev/null", "--wrap", "gpuwork")
	t.Cleanup(func() { cancelJob(t, id) })
	return id
}

// process finds a process of user on node01 and returns its PID and its start.
func process(t *testing.T, user string) (pid, start string) {
	t.Helper()
	for range 60 {
		for _, n := range runs(t, "--json").json(t).Nodes {
			for _, p := range n.Processes {
				if p["user"] == user && n.Name == "node01" {
					return number(p["pid"]), number(p["start_ticks"])
				}
			}
		}
	}
	t.Fatalf("no process of %s's on node01", user)
	return "", ""
}

func number(v any) string {
	f, _ := v.(float64)
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// asker is the path of test/ask on all hosts, once a test has needed it.
var asker string

func askProgram(t *testing.T) string {
	t.Helper()
	if asker != "" {
		return asker
	}
	exe := filepath.Join(t.TempDir(), "ask")
	build := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", exe, "./test/ask")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	asker = do(t, "put", exe)
	return asker
}

func TestCalls(t *testing.T) {
	ask := askProgram(t)
	id := half(t, "alice")
	half(t, "bob")
	pid, start := process(t, "alice")
	bobs, bobsStart := process(t, "bob")

	t.Run("environ", func(t *testing.T) {
		reply := asks(t, ask, "node01", "environ", pid, start)
		if reply.Error != "" || reply.Environ == nil || !slices.Contains(reply.Environ.Variables, "SLURM_JOB_ID="+id) {
			t.Errorf("the environment of one's own process: %+v", reply)
		}
	})
	t.Run("process", func(t *testing.T) {
		d := asks(t, ask, "node01", "process", pid, start).Process // no Job: that is from the cgroup, by which this cluster does not track processes
		if d == nil || number(float64(d.PID)) != pid || d.User != "alice" || d.Name != "gpuwork" || d.Threads == 0 || !strings.HasSuffix(d.Executable, "gpuwork") || d.Directory == "" {
			t.Errorf("one's own process: %+v", d)
		}
	})
	t.Run("of another user", func(t *testing.T) {
		if reply := asks(t, ask, "node01", "environ", bobs, bobsStart); !strings.Contains(reply.Error, "belongs to bob") || reply.Environ != nil {
			t.Errorf("bob's environment: %+v", reply)
		}
		if d := asks(t, ask, "node01", "process", bobs, bobsStart).Process; d == nil || d.User != "bob" || d.Executable != "" {
			t.Errorf("bob's process: %+v", d)
		}
	})
	t.Run("another process by now", func(t *testing.T) {
		if reply := asks(t, ask, "node01", "environ", pid, start+"1"); !strings.Contains(reply.Error, "has been reused") || reply.Environ != nil {
			t.Errorf("got %+v", reply)
		}
	})
}
