package proc

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxLockTable limits the list, in bytes.
const maxLockTable = 1 << 20

// LockedFile is a file as the kernel knows it: the device of its file system, as "8:2", and its number there.
type LockedFile struct {
	Device string
	Inode  uint64
}

// LockTable is the list of locks of a node, as far as its PID namespace shows them.
type LockTable struct{ all []fileLock }

// fileLock is a lock, or the wait for one.
type fileLock struct {
	group int // shared by a lock and the waits for it
	waits bool
	pid   int // negative: no single process has it
	file  LockedFile
}

// ReadLocks reads the list of the procfs at mount. Without one the Table is empty.
func ReadLocks(mount string) *LockTable {
	t := &LockTable{}
	f, err := os.Open(mount + "/locks")
	if err != nil {
		return t
	}
	defer func() { _ = f.Close() }()
	list, _ := io.ReadAll(io.LimitReader(f, maxLockTable)) // what was read so far counts
	t.Add(list)
	return t
}

// Add adds the locks of a list.
func (t *LockTable) Add(list []byte) {
	for line := range bytes.Lines(list) {
		if l, is := parseLock(string(line)); is {
			t.all = append(t.all, l)
		}
	}
}

// parseLock parses a line such as "1: POSIX  ADVISORY  WRITE 708 08:02:1098 0 EOF". A wait has "->" after its number.
func parseLock(line string) (l fileLock, is bool) {
	words := strings.Fields(line)
	if len(words) > 1 && words[1] == "->" {
		l.waits = true
		words = append(words[:1:1], words[2:]...)
	}
	const group, pid, file = 0, 4, 5
	if len(words) <= file {
		return l, false
	}
	place := strings.Split(words[file], ":")
	if len(place) != 3 {
		return l, false
	}
	major, err1 := strconv.ParseUint(place[0], 16, 32)
	minor, err2 := strconv.ParseUint(place[1], 16, 32)
	inode, err3 := strconv.ParseUint(place[2], 10, 64)
	number, err4 := strconv.Atoi(strings.TrimSuffix(words[group], ":"))
	owner, err5 := strconv.Atoi(words[pid])
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil {
		return l, false
	}
	l.group, l.pid = number, owner
	l.file = LockedFile{strconv.FormatUint(major, 10) + ":" + strconv.FormatUint(minor, 10), inode}
	return l, true
}

// Holder returns the process that has the lock that another one waits for; 0: it is not known. of is the file, as far
// as known. elsewhere says that no process on this node has the lock or waits for it here: then the file system asks
// another host.
func (t *LockTable) Holder(pid int, of LockedFile) (holder int, elsewhere bool) {
	known, seen := of.Inode != 0 && of.Device != "", false
	for _, l := range t.all {
		if l.waits && l.pid == pid && (!known || l.file == of) {
			return t.lockHolder(l.group), false
		}
	}
	for _, l := range t.all {
		if !known || l.file != of {
			continue
		}
		if seen = true; l.pid > 0 && l.pid != pid && !l.waits {
			return l.pid, false
		}
	}
	return 0, known && !seen
}

// lockHolder returns the process that has the lock of a group; 0: no single one has it.
func (t *LockTable) lockHolder(group int) int {
	for _, l := range t.all {
		if l.group == group && !l.waits {
			return max(l.pid, 0)
		}
	}
	return 0
}
