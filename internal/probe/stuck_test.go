package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// statusOf is a process in /proc that is called as a probe is.
func statusOf(pid, state string, threads, uid, parent int, pending string) map[string]string {
	return map[string]string{
		pid + "/comm": processName + "\n",
		pid + "/status": "Name:\t" + processName + "\nState:\t" + state + "\nPPid:\t" + strconv.Itoa(parent) + "\nUid:\t" + strings.Repeat(strconv.Itoa(uid)+"\t", 4) +
			"\nThreads:\t" + strconv.Itoa(threads) + "\nSigPnd:\t" + pending + "\nShdPnd:\t0000000000000000\n",
	}
}

// Only a probe that can neither work nor end keeps another one away from the driver.
func TestStuckProbe(t *testing.T) {
	me, none, kill := os.Getuid(), "0000000000000000", "0000000000000100"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":                          {nil, ""},
		"at work":                       {statusOf("4242", "S (sleeping)", 5, me, 1, none), ""},
		"in a call":                     {statusOf("4242", "D (disk sleep)", 5, me, 1, none), ""},
		"killed in a call":              {statusOf("4242", "D (disk sleep)", 1, me, 1, kill), "another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended but for one thread":      {statusOf("4242", "Z (zombie)", 2, me, 1, none), "another nvnodetop probe (pid 4242) hangs in the driver"},
		"ended, and not yet waited for": {statusOf("4242", "Z (zombie)", 1, me, 1, none), ""},
		"stopped":                       {statusOf("4242", "T (stopped)", 5, me, 1, none), "another nvnodetop probe (pid 4242) is stopped"},
		"traced":                        {statusOf("4242", "t (tracing stop)", 5, me, 1, none), "another nvnodetop probe (pid 4242) is stopped"},
		"somebody else's":               {statusOf("4242", "T (stopped)", 5, me+1, 1, none), ""},
		"itself":                        {statusOf(strconv.Itoa(os.Getpid()), "T (stopped)", 5, me, 1, none), ""},
		"another program":               {map[string]string{"4242/comm": "python\n", "4242/status": statusOf("4242", "T (stopped)", 5, me, 1, none)["4242/status"]}, ""},
		"no files":                      {map[string]string{"4242/comm": processName + "\n"}, ""},
	} {
		if got := stuckProbe(writeProc(t, tt.files)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	files := statusOf("4242", "T (stopped)", 5, me, 4241, none)
	files["4241/status"] = "Name:\tnvnodetop\nState:\tT (stopped)\n"
	if got := stuckProbe(writeProc(t, files)); got != "" {
		t.Errorf("stopped with its nvnodetop: %q", got)
	}
}

// A probe that is about to exit keeps nobody waiting.
func TestExitingProbe(t *testing.T) {
	proc := writeProc(t, statusOf("4242", "Z (zombie)", 2, os.Getuid(), 1, "0000000000000000"))
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib, proc)
		time.Sleep(exitTime / 2)
		if err := os.Remove(filepath.Join(proc, "4242", "comm")); err != nil {
			t.Error(err)
		}
		time.Sleep(exitTime)
		if h := helloes(s.got()); len(h) != 1 || len(h[0].GPUs) != 1 {
			t.Errorf("got %+v, want a Hello with the GPU", h)
		}
		s.finish()
	})
}

// While another probe is stuck NVML is not touched. When it has ended the GPUs are there.
func TestWaitsForAStuckProbe(t *testing.T) {
	files := statusOf("4242", "Z (zombie)", 2, os.Getuid(), 1, "0000000000000000")
	proc := writeProc(t, files)
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(2)
		s := open(t, lib, proc)
		s.say(pace1s)
		time.Sleep(exitTime)
		if h := s.got()[0].Hello; h.FaultID != wire.FaultHangs || !strings.Contains(h.Fault, "pid 4242") || len(h.GPUs) != 0 {
			t.Errorf("hello %+v", h)
		}
		s.after(time.Minute)
		if inits, _ := lib.opened(); inits != 0 {
			t.Errorf("%d Inits beside a probe that is stuck", inits)
		}
		if err := os.RemoveAll(proc + "/4242"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(retryEvery + exitTime)
		if h := helloes(s.got()); len(h) != 1 || len(h[0].GPUs) != 2 {
			t.Errorf("when it has ended: %+v", h)
		}
		s.finish()
	})
}
