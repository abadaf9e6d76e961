package cluster

import (
	"strings"
	"testing"
	"time"
)

// Faults of whole boards are reported once for the node; MIG mode, in which all NVLinks are down, is no fault.
func TestBoards(t *testing.T) {
	const h100, a100 = "hopper;count 8;proc none;util 0", "count 8;proc none;util 0"
	for node, lines := range map[string]string{
		"node01": h100 + ";mig",
		"node02": h100 + ";fabric_state 2",
		"node03": a100,
		"node04": h100 + ";gpu 0 memory_temperature 103;gpu 1 temperature 94;gpu 1 temperature_slowdown 92;gpu 2 " +
			"compute_mode 2",
		"node05": h100,
		"node06": h100,
	} {
		fault(t, "nvml", node, lines)
	}
	// no list has a pane at its side, which would stand between the lines of a sentence
	w := watchSize(t, 158, 60, "--nodes", "node[01-06]")
	w.sees("6 of 6 nodes reporting")
	do(t, "fault", "nvml", "node03", a100+";nvlink_down 5")
	do(t, "fault", "nvml", "node05", h100+";slow nvmlDeviceGet* 600000")
	w.types("!")
	w.sees("node04 GPU2 Compute prohibited by the compute mode: no CUDA program can start on this GPU.",
		"node04 GPU1 GPU too hot: 94°C, above its slowdown temperature of 92°C, and the driver reports no slowdown.",
		"node04 GPU0 GPU memory too hot: 103°C, its maximum is 95°C.")
	w.sees("node05 All GPUs hung: driver calls hang for all 8 GPUs of the node (")
	w.seesWithin(90*time.Second, "node03 NVLink down, 11/12 up on all 8 GPUs of the node: link 5 is down on each, which "+
		"points to an NVSwitch.")
	w.seesWithin(130*time.Second, "node02 The 8 GPUs of the node are not registered with the NVLink fabric (in "+
		"progress): CUDA fails with error 802")
	for _, line := range strings.Split(w.Screen(), "\n") {
		if strings.Contains(line, "node01") || strings.Contains(line, "node06") ||
			strings.Contains(line, "has not returned") {
			t.Errorf("this is said: %s", line)
		}
	}
	do(t, "fault", "nvml", "node05", h100)
	w.sees("GPU hung, cleared")
	w.quits()
}

// seesWithin is sees with another limit.
func (w *watcher) seesWithin(d time.Duration, words ...string) {
	w.t.Helper()
	dog.Watch(w.t)
	if _, err := w.WaitFor(d, strings.Join(words, ", "), func(s string) bool { return all(s, words) }); err != nil {
		w.t.Fatal(err)
	}
}
