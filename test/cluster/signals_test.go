package cluster

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// signals sends a signal with test/ask as alice to processes of node01, and returns the result for each.
func signals(t *testing.T, ask, name string, to ...found) []wire.Signaled {
	t.Helper()
	args := []string{"node01", name}
	for _, p := range to {
		args = append(args, p.pid, p.start)
	}
	reply := asks(t, ask, args...)
	if reply.Error != "" || len(reply.Signaled) != len(to) {
		t.Fatalf("%s to %v: %+v", name, to, reply)
	}
	for i, p := range to {
		if number(float64(reply.Signaled[i].PID)) != p.pid {
			t.Fatalf("%s to %v: %+v", name, to, reply)
		}
	}
	return reply.Signaled
}

// alive reports whether there is a process with this PID on node01 that has not exited.
func alive(t *testing.T, pid string) bool {
	t.Helper()
	out, _ := script("on", "node01", "ps", "-o", "stat=", "-p", pid)
	return out != "" && !strings.HasPrefix(out, "Z")
}

// The right process gets a signal, although a GPU of its node hangs in the driver; no other does. SLURM takes a signal
// and the end of a job.
func TestSignals(t *testing.T) {
	ask := askProgram(t)
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-w", "node01", "--gres=gpu:2", "-J", "half",
		"-o", "/dev/null", "--wrap", "gpuwork; sleep 600")
	t.Cleanup(func() { cancelJob(t, id) })
	half(t, "bob")
	alices, bobs := processes(t)
	fault(t, "nvml", "node01", "gpu 3 slow nvmlDeviceGetUtilizationRates 600000")

	got := signals(t, ask, "KILL", found{alices.pid, alices.start + "1"}, bobs)
	if got[0].ErrorID != wire.SignalReused || !alive(t, alices.pid) {
		t.Errorf("another process by now: %+v", got[0])
	}
	if got[1].ErrorID != wire.SignalOtherUser || got[1].Error != "belongs to bob" || !alive(t, bobs.pid) {
		t.Errorf("bob's process: %+v", got[1])
	}
	if got := signals(t, ask, "TERM", alices)[0]; got.Error != "" || alive(t, alices.pid) || !alive(t, bobs.pid) {
		t.Errorf("the right process: %+v, alive %t", got, alive(t, alices.pid))
	}
	if got := signals(t, ask, "TERM", alices)[0]; got.ErrorID != wire.SignalGone {
		t.Errorf("a process that has ended: %+v", got)
	}

	if out, err := script("on", "-u", "alice", "login", ask, "cancel", id, "CONT"); err != nil {
		t.Errorf("scancel --signal: %v: %s", err, out)
	}
	if out, err := script("on", "-u", "bob", "login", ask, "cancel", id); err == nil ||
		!strings.Contains(err.Error(), "denied") {
		t.Errorf("scancel of alice's job by bob: %v: %s", err, out)
	}
	if out, err := script("on", "-u", "alice", "login", ask, "cancel", id); err != nil {
		t.Errorf("scancel: %v: %s", err, out)
	}
	if out, err := script("on", "-u", "alice", "login", ask, "cancel", "99999"); err == nil ||
		!strings.Contains(err.Error(), "Invalid job id") {
		t.Errorf("scancel of no job: %v: %s", err, out)
	}
}

// A signal to a node that is gone is an error, and not a success.
func TestSignalToANodeThatIsGone(t *testing.T) {
	ask := askProgram(t)
	fault(t, "drop", "node06")
	if out, err := script("on", "-u", "alice", "login", ask, "node06", "TERM", "1000", "1"); err == nil ||
		!strings.Contains(err.Error(), "no response") {
		t.Errorf("got %q, %v", out, err)
	}
}
