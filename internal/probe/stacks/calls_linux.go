//go:build amd64 || arm64

package stacks

import (
	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// calls are the system calls in which threads may wait for long, by number. Both processors have the same names for
// them.
var calls = map[int]call{
	unix.SYS_READ:            {wire.CallReads, aDescriptor},
	unix.SYS_READV:           {wire.CallReads, aDescriptor},
	unix.SYS_PREAD64:         {wire.CallReads, aDescriptor},
	unix.SYS_PREADV:          {wire.CallReads, aDescriptor},
	unix.SYS_PREADV2:         {wire.CallReads, aDescriptor},
	unix.SYS_RECVFROM:        {wire.CallReads, aDescriptor},
	unix.SYS_RECVMSG:         {wire.CallReads, aDescriptor},
	unix.SYS_RECVMMSG:        {wire.CallReads, aDescriptor},
	unix.SYS_WRITE:           {wire.CallWrites, aDescriptor},
	unix.SYS_WRITEV:          {wire.CallWrites, aDescriptor},
	unix.SYS_PWRITE64:        {wire.CallWrites, aDescriptor},
	unix.SYS_PWRITEV:         {wire.CallWrites, aDescriptor},
	unix.SYS_PWRITEV2:        {wire.CallWrites, aDescriptor},
	unix.SYS_SENDTO:          {wire.CallWrites, aDescriptor},
	unix.SYS_SENDMSG:         {wire.CallWrites, aDescriptor},
	unix.SYS_SENDMMSG:        {wire.CallWrites, aDescriptor},
	unix.SYS_SENDFILE:        {wire.CallWrites, aDescriptor},
	unix.SYS_OPENAT:          {wire.CallOpens, aPathAt},
	unix.SYS_OPENAT2:         {wire.CallOpens, aPathAt},
	unix.SYS_FSYNC:           {wire.CallSyncs, aDescriptor},
	unix.SYS_FDATASYNC:       {wire.CallSyncs, aDescriptor},
	unix.SYS_FLOCK:           {wire.CallLocks, aDescriptor},
	unix.SYS_FCNTL:           {wire.CallLocks, aLock},
	unix.SYS_ACCEPT:          {wire.CallAccepts, aDescriptor},
	unix.SYS_ACCEPT4:         {wire.CallAccepts, aDescriptor},
	unix.SYS_CONNECT:         {wire.CallConnects, aDescriptor},
	unix.SYS_WAIT4:           {wire.CallChild, aChild},
	unix.SYS_WAITID:          {wire.CallChild, aChildByKind},
	unix.SYS_FUTEX:           {wire.CallFutex, nothing},
	unix.SYS_NANOSLEEP:       {wire.CallSleeps, nothing},
	unix.SYS_CLOCK_NANOSLEEP: {wire.CallSleeps, nothing},
	unix.SYS_PPOLL:           {subject: polled},
	unix.SYS_PSELECT6:        {subject: selected},
}

// callOf returns the system call with a number. Its subject is 0 if threads do not wait for long in it.
func callOf(number int) call {
	if c, known := calls[number]; known {
		return c
	}
	return olderCalls[number]
}
