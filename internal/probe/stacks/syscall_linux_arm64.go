package stacks

import "golang.org/x/sys/unix"

// subjectOf returns what a system call that may wait for a file system is about.
func subjectOf(number int) waitSubject {
	switch number {
	case unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_READV, unix.SYS_PREADV, unix.SYS_PREADV2,
		unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2,
		unix.SYS_CLOSE, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FSTAT, unix.SYS_FTRUNCATE,
		unix.SYS_LSEEK, unix.SYS_FLOCK, unix.SYS_FALLOCATE, unix.SYS_GETDENTS64, unix.SYS_FCNTL,
		unix.SYS_IOCTL, unix.SYS_SENDFILE, unix.SYS_SYNC_FILE_RANGE, unix.SYS_FSTATFS, unix.SYS_FADVISE64,
		unix.SYS_READAHEAD:
		return aDescriptor
	case unix.SYS_CHDIR, unix.SYS_EXECVE, unix.SYS_TRUNCATE, unix.SYS_STATFS:
		return aPath
	case unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_FACCESSAT,
		unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_STATX, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
		unix.SYS_UTIMENSAT, unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT, unix.SYS_FSTATAT:
		return aPathAt
	}
	return 0
}

// olderCalls are system calls that this processor does not have.
var olderCalls map[int]call
