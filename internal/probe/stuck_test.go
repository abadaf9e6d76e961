package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// A probe that is about to exit keeps nobody waiting.
func TestExitingProbe(t *testing.T) {
	proc := fakeproc.Write(t, fakeproc.Status("4242", driver.ProbeName, "Z (zombie)", 2, os.Getuid(), 1,
		"0000000000000000"))
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(1)
		s := open(t, lib, proc)
		time.Sleep(driver.ProbeExitTime / 2)
		if err := os.Remove(filepath.Join(proc, "4242", "comm")); err != nil {
			t.Error(err)
		}
		time.Sleep(driver.ProbeExitTime)
		if h := helloes(s.got()); len(h) != 1 || len(h[0].GPUs) != 1 {
			t.Errorf("got %+v, want a Hello with the GPU", h)
		}
		s.finish()
	})
}

// While another probe is stuck, nobody calls NVML. After its end the GPUs appear.
func TestWaitsForAStuckProbe(t *testing.T) {
	files := fakeproc.Status("4242", driver.ProbeName, "Z (zombie)", 2, os.Getuid(), 1, "0000000000000000")
	proc := fakeproc.Write(t, files)
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(2)
		s := open(t, lib, proc)
		s.say(pace1s)
		time.Sleep(driver.ProbeExitTime)
		if h := s.got()[0].Hello; h.FaultID != wire.FaultHangs || !strings.Contains(h.Fault, "pid 4242") ||
			len(h.GPUs) != 0 {
			t.Errorf("hello %+v", h)
		}
		s.after(time.Minute)
		if inits, _ := lib.opened(); inits != 0 {
			t.Errorf("%d Inits beside a probe that is stuck", inits)
		}
		if err := os.RemoveAll(proc + "/4242"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(gpus.RetryEvery + driver.ProbeExitTime)
		if h := helloes(s.got()); len(h) != 1 || len(h[0].GPUs) != 2 {
			t.Errorf("when it has ended: %+v", h)
		}
		s.finish()
	})
}
