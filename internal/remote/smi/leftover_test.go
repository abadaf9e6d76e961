package smi

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nothing of the script stays: neither when a command has come, nor at the end.
func TestScriptLeavesNothing(t *testing.T) {
	m := newMachine(t)
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = m.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdin = strings.NewReader(program + "\n" + strings.Repeat("alive 7\n", 20))
	if out, err := cmd.Output(); err != nil || strings.Count(string(out), "alive 7\n") != 20 {
		t.Fatalf("%v: %s", err, out)
	}
	began := time.Now()
	for ; !errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			out, _ := exec.Command("ps", "-eo", "pgid,pid,args").Output()
			t.Fatalf("processes of the script are left in group %d:\n%s", cmd.Process.Pid, out)
		}
	}
}
