package cluster

import (
	"strconv"
	"testing"
	"time"
)

// never watches the screen for a while: none of the words may appear on it.
func (w *watcher) never(d time.Duration, words ...string) {
	w.t.Helper()
	dog.Watch(w.t)
	bad := func(s string) bool {
		for _, word := range words {
			if all(s, []string{word}) {
				return true
			}
		}
		return false
	}
	if screen, err := w.WaitFor(d, "what must not be said", bad); err == nil {
		w.t.Fatalf("one of %q is on the screen:\n%s", words, screen)
	}
}

// A call into the driver that hangs for one GPU: the GPU is named, and the node and its other GPUs go on. When the
// driver answers again, so does the GPU.
func TestHangingDriver(t *testing.T) {
	job(t, 2)
	w := watch(t)
	w.sees(reporting(2, 2))
	probe := do(t, "on", "node01", "pgrep", "-f", "nvnodetop-probe")
	fault(t, "nvml", "node01", "gpu 3 slow nvmlDeviceGetUtilizationRates 600000")
	w.sees("GPU3", "hung")
	w.never(20*time.Second, "[stale", "silent", "not responding")
	w.sees(reporting(2, 2))
	do(t, "fault", "nvmlok", "node01")
	w.well()
	if after := do(t, "on", "node01", "pgrep", "-f", "nvnodetop-probe"); after != probe {
		t.Errorf("the probe is %s, it was %s", after, probe)
	}
	w.quits()
}

// Faults of different nodes that take long are tested side by side.
func TestLongFaults(t *testing.T) {
	type test struct {
		name string
		run  func(*testing.T)
	}
	for node, tests := range map[string][]test{
		"node02": {{"hanging init", hangingInit}, {"lost GPU", lostGPUIsListedAgain}},
		"node03": {{"slow", slowDriver}, {"replaced", replacedDriver}},
		"node04": {{"stopped probe", stoppedProbe}},
		"node05": {{"lagging GPU", laggingGPU}},
		"node06": {{"job", jobInTrouble}},
	} {
		t.Run(node, func(t *testing.T) {
			t.Parallel()
			for _, test := range tests {
				t.Run(test.name, test.run)
			}
		})
	}
}

// If nvmlInit hangs, the node reports without GPUs and says why; then the GPUs come.
func hangingInit(t *testing.T) {
	fault(t, "nvml", "node02", "slow nvmlInit* 600000")
	w := watch(t, "--nodes", "node02,node01")
	w.sees("does not respond")
	w.never(15*time.Second, "unreachable")
	w.sees(reporting(2, 2))
	do(t, "fault", "nvmlok", "node02")
	w.well()
	w.quits()
}

// A driver that takes long for every call is reported as slow, and its numbers neither come and go nor grow stale.
func slowDriver(t *testing.T) {
	w := watch(t, "--nodes", "node03,node01")
	w.well()
	fault(t, "nvml", "node03", "slow nvmlDeviceGet* 300")
	w.sees("slow")
	w.never(30*time.Second, "[stale", "silent", "hung")
	do(t, "fault", "nvmlok", "node03")
	w.well()
	w.quits()
}

// A probe that is stopped neither reports nor ends. However long it stays, at most one other joins it.
func stoppedProbe(t *testing.T) {
	w := watch(t, "--nodes", "node04,node01")
	w.well()
	fault(t, "stopprobe", "node04")
	for began := time.Now(); time.Since(began) < 110*time.Second; time.Sleep(2 * time.Second) {
		n, err := strconv.Atoi(do(t, "on", "node04", "pgrep", "-c", "-f", "nvnodetop-probe"))
		if err != nil || n > 2 {
			t.Fatalf("%d probes are on the node after %v, %v", n, time.Since(began), err)
		}
	}
	w.sees("another nvnodetop probe", "is stopped")
	do(t, "fault", "contprobe", "node04")
	w.well()
	if n := do(t, "on", "node04", "pgrep", "-c", "-f", "nvnodetop-probe"); n != "1" {
		t.Errorf("%s probes are left", n)
	}
	w.quits()
}

// A GPU whose handle stays dead comes back without a new session: it is listed again.
func lostGPUIsListedAgain(t *testing.T) {
	w := watch(t, "--nodes", "node02,node01")
	w.well()
	probe := do(t, "on", "node02", "pgrep", "-f", "nvnodetop-probe")
	fault(t, "nvml", "node02", "gpu 1 lost sticky")
	w.sees("GPU is lost")
	do(t, "fault", "nvmlok", "node02")
	w.well()
	if after := do(t, "on", "node02", "pgrep", "-f", "nvnodetop-probe"); after != probe {
		t.Errorf("the probe is %s, it was %s", after, probe)
	}
	w.quits()
}

// A driver that is replaced under the probe is no bug of ours: a new probe starts, and reports the new driver.
func replacedDriver(t *testing.T) {
	w := watch(t, "--nodes", "node03,node01")
	w.well()
	fault(t, "nvml", "node03", "fail nvmlDevice* 1;init 18")
	_, err := w.WaitFor(slack, "that the versions differ", func(s string) bool {
		if all(s, []string{"bug in nvnodetop"}) {
			t.Fatalf("a driver that was replaced is called a bug:\n%s", s)
		}
		return all(s, []string{"version mismatch"})
	})
	if err != nil {
		t.Error(err)
	}
	do(t, "fault", "nvmlok", "node03")
	w.well()
	w.quits()
}
