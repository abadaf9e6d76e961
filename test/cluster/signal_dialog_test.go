package cluster

import (
	"fmt"
	"testing"
	"time"
)

// reusePID ends a process of node01 and starts another one that gets its PID.
func reusePID(t *testing.T, pid string) {
	t.Helper()
	do(t, "on", "node01", "sh", "-c", fmt.Sprintf(
		`kill -9 %[1]s; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo $((%[1]s-1)) > /proc/sys/kernel/ns_last_pid; sleep 60 > /dev/null 2>&1 & [ $! = %[1]s ] && exit 0; kill $!; sleep 0.05; done; exit 1`, pid))
}

// On the screen: the chosen process ends and its row vanishes; a reused PID, another user's process and a node that is
// gone are refused in words.
func TestSignalDialog(t *testing.T) {
	half(t, "alice")
	half(t, "bob")
	job(t, 1, "work", "-w", "node02") // a job that starts later would be found 30 s later
	w := watch(t)
	w.sees("job [1/2]", "alice", "bob", "gpuwork")
	pid := do(t, "on", "node01", "pgrep", "-n", "-u", "alice", "-x", "gpuwork")
	w.types("5")
	w.sees("Processes of node01", "bob", pid)

	w.types("sp") // by PID
	w.types("G ")
	w.types("g T")
	w.sees("Send SIGTERM to 1 process?", "belongs to bob")
	reusePID(t, pid)
	w.answers("y")
	w.sees("Sent SIGTERM to 0 of 1 process", "node01:"+pid, "not sent: PID reused")
	w.types("\r") // not Esc, which before ] would be the beginning of an escape sequence
	w.types("]")
	w.sees("Processes of node02", "4 processes") // the first job may have ended with its process
	w.types("T")
	w.sees("Send SIGTERM to 1 process?")
	w.answers("y")
	w.sees("Sent SIGTERM to 1 of 1 process", "sent to 1")
	w.types("\x1b")
	w.sees("3 processes")

	fault(t, "drop", "node02")
	w.types("S")
	w.sees("Send which signal to 1 process?")
	w.types("cont\r")
	w.sees("Send SIGCONT to 1 process?")
	w.answers("y")
	w.sees("Sent SIGCONT to 0 of 1 process", "outcome unknown for 1")
	w.types("\r")
	w.quits()
}

// "Ky" in one write, as from a terminal that does not mark pastes, ends nothing.
func TestAPasteEndsNothing(t *testing.T) {
	job(t, 1, "work", "-w", "node02")
	w := watch(t)
	w.sees("gpuwork")
	w.types("5")
	w.sees("Processes of node02", "4 processes")
	w.types("Ky")
	w.sees("Send SIGKILL to 1 process?")
	time.Sleep(time.Second)
	w.sees("Send SIGKILL to 1 process?", "Enter")
	w.types("\r") // not Esc, which would make the next K another key
	w.sees("4 processes", "Enter open")
	w.types("K")
	w.sees("Send SIGKILL to 1 process?")
	w.answers("y")
	w.sees("Sent SIGKILL to 1 of 1 process")
	w.types("\r")
	w.sees("3 processes", "Enter open")
	time.Sleep(time.Second)
	w.quits()
}

// On its own host root may end a process of somebody else, after a question that names both.
func TestRootEndsAProcessOfOthers(t *testing.T) {
	job(t, 1, "work", "-w", "node01")
	w := watchAs(t, []string{"on", "node01"}, 120, 40, program, "1", "1", "--nodes", "node01", "--transport", "local",
		"--view", "node")
	w.sees("gpuwork", "alice")
	w.types("5")
	w.sees("Processes of node01", "4 processes")
	w.types("T")
	w.sees("Send SIGTERM to 1 process?", "of alice: /usr/local/bin/gpuwork", "root may signal it")
	w.answers("y")
	w.sees("Sent SIGTERM to 1 of 1 process", "sent to 1")
	w.types("\r")
	w.sees("3 processes")
	w.quits()
}
