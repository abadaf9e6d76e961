//go:build linux

package stacks

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The file for which a thread waits is that of its system call: a descriptor, a path, or a path below a directory. A
// FIFO stands for the file system that does not answer.
func TestWaits(t *testing.T) {
	python := pythons(t)[0]
	for call, text := range map[string]string{
		"read of a descriptor": "f = os.open('shard-0317.tar', os.O_RDWR); say(); os.read(f, 1)",
		"open of a path":       "say(); open(%q)",
		"open below":           "say(); os.open('shard-0317.tar', os.O_RDONLY)",
		"open in a directory":  "d = os.open(%d, os.O_RDONLY); say(); os.open('shard-0317.tar', os.O_RDONLY, dir_fd=d)",
	} {
		dir := t.TempDir()
		fifo := filepath.Join(dir, "shard-0317.tar")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Skip(err)
		}
		text = strings.NewReplacer("%q", "'"+fifo+"'", "%d", "'"+dir+"'").Replace(text)
		p := script(t, python, "import os\nos.chdir('"+dir+"')\ndef say(): print('1', flush=True)\n"+text)
		l := &stacksBuilder{process: proc.Of("/proc", p.Process.Pid)}
		l.PID = p.Process.Pid
		all := []wire.ThreadStack{{TID: l.PID, State: "D"}, {TID: l.PID, State: "S"}}
		var w *wire.FileWait
		for range 1000 { // it says that it will open the file before it does
			if w = l.findWaits(all)[l.PID]; w != nil && w.Path == fifo {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if w == nil || w.Path != fifo || w.FileSystem == "" || !strings.HasPrefix(fifo, w.Mount) || w.Source == "" {
			t.Errorf("%s: %+v, want %s", call, w, fifo)
		}
		if l.addWaits(all, l.findWaits(all[1:])); all[1].WaitsFor != nil {
			t.Errorf("%s: a thread that sleeps waits for %+v", call, all[1].WaitsFor)
		}
	}
}

func TestMountOf(t *testing.T) {
	mounts := []proc.Mount{{Point: "/", Type: "xfs"}, {Point: "/lustre", Type: "autofs"},
		{Point: "/lustre", Type: "lustre"},
		{Point: "/lustre/set7/deep", Type: "nfs4"}}
	for name, want := range map[string]string{"/lustre/set7/a.tar": "lustre", "/lustre": "lustre", "/lustrex/a": "xfs",
		"/lustre/set7/deep/a": "nfs4", "/a": "xfs"} {
		if m := mountOf(name, mounts); m == nil || m.Type != want {
			t.Errorf("%s is in %+v, want %s", name, m, want)
		}
	}
	if m := mountOf("/a", nil); m != nil {
		t.Errorf("%+v", m)
	}
}
