package driver

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// Only a probe that can neither work nor end keeps other probes away from the driver.
func TestStuckProbe(t *testing.T) {
	me, none, kill := os.Getuid(), "0000000000000000", "0000000000000100"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":      {nil, ""},
		"at work":   {fakeproc.Status("4242", ProbeName, "S (sleeping)", 5, me, 1, none), ""},
		"in a call": {fakeproc.Status("4242", ProbeName, "D (disk sleep)", 5, me, 1, none), ""},
		"killed in a call": {fakeproc.Status("4242", ProbeName, "D (disk sleep)", 1, me, 1, kill),
			"another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended but for one thread": {fakeproc.Status("4242", ProbeName, "Z (zombie)", 2, me, 1, none),
			"another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended, and not yet waited for": {fakeproc.Status("4242", ProbeName, "Z (zombie)", 1, me, 1, none), ""},
		"stopped": {fakeproc.Status("4242", ProbeName, "T (stopped)", 5, me, 1, none),
			"another nvnodetop probe (pid 4242) is stopped"},
		"traced": {fakeproc.Status("4242", ProbeName, "t (tracing stop)", 5, me, 1, none),
			"another nvnodetop probe (pid 4242) is stopped"},
		"somebody else's": {fakeproc.Status("4242", ProbeName, "T (stopped)", 5, me+1, 1, none), ""},
		"itself": {fakeproc.Status(strconv.Itoa(os.Getpid()), ProbeName, "T (stopped)", 5, me,
			1, none), ""},
		"another program": {map[string]string{"4242/comm": "python\n",
			"4242/status": fakeproc.Status("4242", ProbeName, "T (stopped)", 5, me, 1, none)["4242/status"]}, ""},
		"no files": {map[string]string{"4242/comm": ProbeName + "\n"}, ""},
	} {
		if got := probeProcess(t, fakeproc.Write(t, tt.files)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	files := fakeproc.Status("4242", ProbeName, "T (stopped)", 5, me, 4241, none)
	files["4241/status"] = "Name:\tnvnodetop\nState:\tT (stopped)\n"
	if got := probeProcess(t, fakeproc.Write(t, files)); got != "" {
		t.Errorf("stopped with its nvnodetop: %q", got)
	}
}

// probeProcess is Probe without its wait.
func probeProcess(t *testing.T, proc string) (words string) {
	t.Helper()
	synctest.Test(t, func(*testing.T) { words = StuckProbe(proc) })
	return words
}

// Where probes come and go, there is always one that exits: none of them hangs.
func TestProbesThatExitOneAfterTheOther(t *testing.T) {
	exiting := func(pid string) map[string]string {
		return fakeproc.Status(pid, ProbeName, "Z (zombie)", 2, os.Getuid(), 1, "0000000000000000")
	}
	proc := fakeproc.Write(t, exiting("4242"))
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(ProbeExitTime/2, func() {
			for path, text := range exiting("4243") {
				fakeproc.File(t, filepath.Join(proc, path), text)
			}
			if err := os.RemoveAll(filepath.Join(proc, "4242")); err != nil {
				t.Error(err)
			}
		})
		if words := StuckProbe(proc); words != "" {
			t.Error(words)
		}
	})
}
