package host

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// readHead reads the beginning of a file with one system call; File.ReadAt needs a second one to detect the end. The
// call goes through the runtime: a read may hang if /proc is a FUSE file system (lxcfs), and then the scheduler must be
// able to give the only processor to other goroutines.
func readHead(f *os.File, to []byte) (int, error) {
	for {
		n, err := unix.Pread(int(f.Fd()), to, 0)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// spaceOf reads the space of the file system that holds path. It may never return.
func spaceOf(path string) space {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return space{err: err}
	}
	unit := uint64(max(s.Frsize, 1))
	return space{free: s.Bavail * unit, total: s.Blocks * unit}
}

// kernelRelease returns the release of the running kernel, as uname -r prints it.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
