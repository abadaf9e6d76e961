package probe

import "golang.org/x/sys/unix"

func openPidfd(pid int) (handle int, err error) { return unix.PidfdOpen(pid, 0) }

func sendPidfd(handle, number int) error {
	return unix.PidfdSendSignal(handle, unix.Signal(number), nil, 0)
}

func closeHandle(handle int) { _ = unix.Close(handle) } // a failure loses nothing

func sendSignal(pid, number int) error { return unix.Kill(pid, unix.Signal(number)) }
