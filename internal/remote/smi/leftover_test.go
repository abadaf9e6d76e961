package smi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nothing of the script stays: neither when a command has come, nor at the end.
func TestScriptLeavesNothing(t *testing.T) {
	t.Parallel()
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

// A script that is killed at any moment leaves no stopped process behind, which would stay forever.
func TestKilledScriptLeavesNothingStopped(t *testing.T) {
	m := newMachine(t)
	var groups []int
	for range 40 {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Env = m.env
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Stdin = strings.NewReader(program + "\n" + strings.Repeat("alive 7\n", 1000))
		out, err := cmd.StdoutPipe()
		if err = errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan() && !strings.HasPrefix(lines.Text(), "alive"); {
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		groups = append(groups, cmd.Process.Pid)
	}
	t.Cleanup(func() {
		for _, group := range groups {
			_ = syscall.Kill(-group, syscall.SIGKILL)
		}
	})
	began := time.Now()
	for stopped := stoppedIn(t, groups); len(stopped) > 0; stopped = stoppedIn(t, groups) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d scripts were killed, and these processes are stopped: %v", len(groups), stopped)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// stoppedIn lists the stopped processes of process groups.
func stoppedIn(t *testing.T, groups []int) (stopped []string) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Skip("there is no /proc")
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended
		_, rest, _ := bytes.Cut(text, []byte(") "))
		for _, group := range groups {
			var state string
			var parent, of int
			if _, err := fmt.Sscan(string(rest), &state, &parent, &of); err == nil && of == group && state == "T" {
				stopped = append(stopped, file)
			}
		}
	}
	return stopped
}
