package openssh

import "golang.org/x/sys/unix"

// peerUID returns the user at the other end of a socket, the listener.
func peerUID(fd int) (uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(c.Uid), nil
}
