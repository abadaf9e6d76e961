package memory

import (
	"io"

	"golang.org/x/sys/unix"
)

// readProcess reads pieces of the memory of a process. The kernel requires the rights of a debugger, but does not stop
// the process.
func readProcess(pid int, pieces []Piece) error {
	local, remote := make([]unix.Iovec, len(pieces)), make([]unix.RemoteIovec, len(pieces))
	want := 0
	for i, piece := range pieces {
		if len(piece.To) == 0 {
			continue
		}
		local[i].Base = &piece.To[0]
		local[i].SetLen(len(piece.To))
		remote[i] = unix.RemoteIovec{Base: uintptr(piece.At), Len: len(piece.To)}
		want += len(piece.To)
	}
	n, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err == nil && n < want {
		return io.ErrUnexpectedEOF
	}
	return err
}
