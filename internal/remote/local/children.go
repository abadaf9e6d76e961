package local

import (
	"os/exec"
	"sync"
	"syscall"
)

// children are the processes that Shells started and have not yet waited for.
var children = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// Started reports whether a Shell started that child of this process.
func Started(pid int) bool {
	children.Lock()
	defer children.Unlock()
	return children.pids[pid]
}

// startChild starts a child in a process group of its own: the terminal's keys are for this program, and for a command
// that runs in its place.
func startChild(cmd *exec.Cmd) error {
	children.Lock()
	defer children.Unlock()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	if err == nil {
		children.pids[cmd.Process.Pid] = true
	}
	return err
}

func awaitChild(cmd *exec.Cmd) {
	_ = cmd.Wait() // ProcessState has the result
	children.Lock()
	defer children.Unlock()
	delete(children.pids, cmd.Process.Pid)
}
