//go:build unix && !linux

package tail

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openRegular opens a regular file of the user. A symbolic link at the end of the path is not followed.
func openRegular(path string) (file *os.File, shared bool, err error) {
	file, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, false, err
	}
	info, err := file.Stat()
	if err == nil {
		owner, _ := info.Sys().(*syscall.Stat_t)
		err = refusalError(path, info.Mode(), owner.Uid, uint32(os.Geteuid()))
	}
	if err != nil {
		file.Close()
		return nil, false, err
	}
	return file, false, nil
}
