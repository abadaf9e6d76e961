package openssh

import "golang.org/x/sys/unix"

// peerUID returns the user who listens at the other end of a socket.
func peerUID(fd int) (uid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(c.Uid), nil
}
