// Package fakeproc writes a small /proc for the tests of the probe.
package fakeproc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	procStat = "cpu  1000 20 300 8000 600 7 70 3 500 0\ncpu0 500 10 150 4000 300 3 35 1 250 0\ncpu1 500 10 150 4000 " +
		"300 4 35 2 250 0\nintr 9 9\n"
	procMem  = "MemTotal:       16318428 kB\nMemFree:         1000000 kB\nMemAvailable:   12318428 kB\n"
	procLoad = "3.25 2.00 1.00 1/200 4242\n"
)

// Write makes a small /proc with these files besides its own, by path, and returns its directory.
func Write(t testing.TB, more map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"stat":        procStat,
		"meminfo":     procMem,
		"loadavg":     procLoad,
		"self/cgroup": "0::/system.slice/slurmstepd.scope/job_48211/step_extern/user/task_special\n",
	}
	for path, content := range more {
		files[path] = content
	}
	for path, content := range files {
		File(t, filepath.Join(dir, path), content)
	}
	return dir
}

func File(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Of returns the files of one process, which has used 100 + 50 ticks of CPU time and began startTicks after boot.
func Of(pid, comm, startTicks, cmdline string, uid string) map[string]string {
	stat := pid + " (" + comm + ") S 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 0 " + startTicks +
		" 1000000 256 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	return map[string]string{
		pid + "/stat":    stat,
		pid + "/status":  "Name:\t" + comm + "\nUid:\t" + strings.Repeat(uid+"\t", 3) + uid + "\nGid:\t0\t0\t0\t0\n",
		pid + "/cmdline": cmdline,
		pid + "/cgroup":  "0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0\n",
	}
}

// Release opens and closes a pipe, so that all readers that wait for a writer continue.
func Release(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	_ = f.Close()
}

// Status returns the files that show the state of a process.
func Status(pid, name, state string, threads, uid, parent int, pending string) map[string]string {
	return map[string]string{
		pid + "/comm": name + "\n",
		pid + "/status": "Name:\t" + name + "\nState:\t" + state + "\nPPid:\t" + strconv.Itoa(parent) + "\nUid:\t" +
			strings.Repeat(strconv.Itoa(uid)+"\t", 4) +
			"\nThreads:\t" + strconv.Itoa(threads) + "\nSigPnd:\t" + pending + "\nShdPnd:\t0000000000000000\n",
	}
}
