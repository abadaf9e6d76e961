package stacks

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// addHolder adds who has the lock of the file that a process waits for.
func (e *peerFinder) addHolder(c *wire.SystemCall, p *wire.ProcessStacks) {
	if c.Does != wire.CallLocks || c.FD == nil {
		return
	}
	if e.locks == nil {
		e.locks = proc.ReadLocks(e.mount)
	}
	process := proc.Of(e.mount, p.PID)
	holder, elsewhere := e.locks.Holder(p.PID, fileOf(process, *c.FD))
	if c.HeldElsewhere = elsewhere; holder == 0 {
		return
	}
	c.Holder = holder
	switch stat, err := proc.Of(e.mount, holder).Stat(); {
	case err == nil && !stat.Dead():
		c.HolderName = strings.ToValidUTF8(stat.Comm, "?")
	case errors.Is(err, os.ErrNotExist), err == nil:
		c.HolderGone = true
	}
}

// fileOf returns the file of a descriptor, as far as the kernel tells it: since Linux 5.14. The file itself is not
// touched.
func fileOf(process proc.Process, fd int) (of proc.LockedFile) {
	var info [512]byte
	n, _ := proc.Read(string(process)+"/fdinfo/"+strconv.Itoa(fd), info[:]) // empty if it cannot be read
	mount := ""
	for line := range strings.Lines(string(info[:n])) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "mnt_id":
			mount = strings.TrimSpace(value)
		case "ino":
			of.Inode, _ = strconv.ParseUint(strings.TrimSpace(value), 10, 64) // the kernel writes a number
		}
	}
	mounts, _ := proc.Mounts(filepath.Dir(string(process)), filepath.Base(string(process))) // may be empty
	for i := range mounts {
		if strconv.Itoa(mounts[i].ID) == mount {
			of.Device = mounts[i].Device
		}
	}
	return of
}
