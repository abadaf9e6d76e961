package proc

import "testing"

// lockList is of Linux 6.18: a lock of flock(2) for which two processes wait, a range of fcntl(2), one of an open file,
// and a lease.
const lockList = `1: FLOCK  ADVISORY  WRITE 1234 08:02:131090 0 EOF
1: -> FLOCK  ADVISORY  WRITE 1300 08:02:131090 0 EOF
1:  -> FLOCK  ADVISORY  WRITE 1301 08:02:131090 0 EOF
2: POSIX  ADVISORY  WRITE 708 00:1f:1098 128 191
3: OFDLCK ADVISORY  READ -1 00:1f:77 0 EOF
3: -> OFDLCK ADVISORY  WRITE -1 00:1f:77 0 EOF
4: LEASE  ACTIVE    READ  901 08:02:5 0 EOF
half a line
5: FLOCK ADVISORY WRITE x 08:02:6 0 EOF
`

func TestHolder(t *testing.T) {
	table := &LockTable{}
	table.Add([]byte(lockList))
	for name, tc := range map[string]struct {
		pid       int
		of        LockedFile
		holder    int
		elsewhere bool
	}{
		"it waits":                                     {1300, LockedFile{"8:2", 131090}, 1234, false},
		"as another one does":                          {1301, LockedFile{"8:2", 131090}, 1234, false},
		"the kernel does not name its files":           {1300, LockedFile{}, 1234, false},
		"a server decides, and its client here has it": {99, LockedFile{"0:31", 1098}, 708, false},
		"a server decides, and has given it elsewhere": {99, LockedFile{"0:31", 1097}, 0, true},
		"a file of another file system":                {99, LockedFile{"8:2", 1098}, 0, true},
		"nobody alone has it":                          {99, LockedFile{"0:31", 77}, 0, false},
		"it has it by now":                             {708, LockedFile{"0:31", 1098}, 0, false},
		"it does not wait, and its file is not known":  {99, LockedFile{}, 0, false},
	} {
		if holder, elsewhere := table.Holder(tc.pid, tc.of); holder != tc.holder || elsewhere != tc.elsewhere {
			t.Errorf("%s: %d, elsewhere %v", name, holder, elsewhere)
		}
	}
	if len(table.all) != 7 {
		t.Errorf("%d locks and waits, want 7", len(table.all))
	}
	if all := ReadLocks(t.TempDir()).all; len(all) != 0 {
		t.Errorf("without a list: %+v", all)
	}
}

// A list may have anything.
func FuzzLockTable(f *testing.F) {
	f.Add([]byte(lockList))
	f.Fuzz(func(_ *testing.T, list []byte) {
		table := &LockTable{}
		table.Add(list)
		table.Holder(1300, LockedFile{"8:2", 131090})
	})
}
