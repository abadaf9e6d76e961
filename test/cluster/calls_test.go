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
	id := do(t, "on", "-u", user, "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:2", "-J", "half", "-o",
		"/dev/null", "--wrap", "gpuwork")
	t.Cleanup(func() { cancelJob(t, id) })
	return id
}

// found is a process, as in --json.
type found struct{ pid, start string }

// processes finds a process of alice's and one of bob's on node01.
func processes(t *testing.T) (alices, bobs found) {
	t.Helper()
	for range 60 {
		of := map[any]found{}
		for _, n := range runs(t, "--json").json(t).Nodes {
			for _, p := range n.Processes {
				if n.Name == "node01" {
					of[p["user"]] = found{number(p["pid"]), number(p["start_ticks"])}
				}
			}
		}
		if of["alice"].pid != "" && of["bob"].pid != "" {
			return of["alice"], of["bob"]
		}
	}
	t.Fatal("alice or bob has no process on node01")
	return alices, bobs
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
	alices, bobs := processes(t)

	t.Run("environ", func(t *testing.T) {
		reply := asks(t, ask, "node01", "environ", alices.pid, alices.start)
		if reply.Error != "" || reply.Environ == nil || !slices.Contains(reply.Environ.Variables, "SLURM_JOB_ID="+id) {
			t.Errorf("the environment of one's own process: %+v", reply)
		}
	})
	t.Run("process", func(t *testing.T) {
		// no Job: it would come from the cgroup, but this cluster does not track processes by cgroups
		d := asks(t, ask, "node01", "process", alices.pid, alices.start).Process
		if d == nil || number(float64(d.PID)) != alices.pid || d.User != "alice" || d.Name != "gpuwork" ||
			d.Threads == 0 || !strings.HasSuffix(d.Executable, "gpuwork") || d.Directory == "" {
			t.Errorf("one's own process: %+v", d)
		}
	})
	t.Run("of another user", func(t *testing.T) {
		if reply := asks(t, ask, "node01", "environ", bobs.pid, bobs.start); !strings.Contains(reply.Error,
			"belongs to bob") || reply.Environ != nil {
			t.Errorf("bob's environment: %+v", reply)
		}
		if d := asks(t, ask, "node01", "process", bobs.pid, bobs.start).Process; d == nil || d.User != "bob" ||
			d.Executable != "" {
			t.Errorf("bob's process: %+v", d)
		}
	})
	t.Run("another process by now", func(t *testing.T) {
		if reply := asks(t, ask, "node01", "environ", alices.pid, alices.start+"1"); !strings.Contains(reply.Error,
			"has been reused") || reply.Environ != nil {
			t.Errorf("got %+v", reply)
		}
	})
}
