package remote

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/lib/private"
)

// Slots limit how many programs of a user run on this host at once: each program holds a lock on a file of its own.
//
// The kernel drops a lock when its program ends, however it ends: no slot is ever stale, and no two programs get the
// same one. The files are in a directory in /tmp that belongs to the user and is open to nobody else. The user's
// runtime directory is the second choice, if somebody else has taken the name in /tmp: it goes away with the last
// logout, while programs in tmux keep running. The environment is ignored, since it differs between programs.

// SlotsFullError says that all slots are taken.
type SlotsFullError struct {
	Of   int
	PIDs []int // of the programs that hold the slots
}

func (e *SlotsFullError) Error() string {
	var pids []string
	for _, pid := range e.PIDs {
		pids = append(pids, strconv.Itoa(pid))
	}
	return fmt.Sprintf("%d of your programs run on this host already (PID %s)", e.Of, strings.Join(pids, ", "))
}

// heldSlot is the slot of this program. It is never given back: the kernel does that when the program ends.
var heldSlot struct {
	mu   sync.Mutex // protects the following
	slot *slotFile
}

// slotFile is a locked file. It holds descriptors instead of files, which the garbage collector would close.
type slotFile struct{ dir, file int }

// TakeSlot takes one of this user's slots for this program, unless it has one; of is their number. The error is a
// *FullError, or the reason why programs cannot be counted here. It may be called from any goroutine.
func TakeSlot(of int) error {
	heldSlot.mu.Lock()
	defer heldSlot.mu.Unlock()
	if heldSlot.slot != nil {
		return nil
	}
	var err error
	heldSlot.slot, err = takeIn(of, SlotDirs...)
	return err
}

// SlotDirs are the directories for slots: the first one that is safe to use is used. Only tests change them.
var SlotDirs = []string{"/tmp/nvnodetop-" + slotUser, "/run/user/" + slotUser + "/nvnodetop-slots"}

var slotUser = strconv.Itoa(os.Getuid())

// takeIn takes a slot in the first directory that is safe to use.
func takeIn(of int, dirs ...string) (*slotFile, error) {
	var first error
	for _, dir := range dirs {
		at, err := openDir(dir)
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		s, err := takeSlot(at, of)
		if err != nil {
			_ = unix.Close(at)
			return nil, err
		}
		return s, nil
	}
	return nil, first
}

// openDir opens the directory of the slots, and creates it if there is none. A shared lock on it tells systemd-tmpfiles
// that it is in use.
func openDir(dir string) (int, error) {
	if err := unix.Mkdir(dir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return 0, fmt.Errorf("%q: %w", dir, err)
	}
	file, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", dir, err)
	}
	defer func() { _ = file.Close() }() // the slot has a descriptor of its own
	if info, err := file.Stat(); err != nil || private.Check(info, fs.ModeDir) != nil {
		return 0, fmt.Errorf("%q does not belong to this user alone", dir)
	}
	at, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", dir, err)
	}
	_ = unix.Flock(at, unix.LOCK_SH|unix.LOCK_NB)
	return at, nil
}

// takeSlot takes the first free slot.
func takeSlot(at, of int) (*slotFile, error) {
	full := &SlotsFullError{Of: of}
	for i := range of {
		name := strconv.Itoa(i)
		file, err := lockSlot(at, name)
		switch {
		case err == nil:
			_ = unix.Ftruncate(file, 0)
			_, _ = unix.Pwrite(file, []byte(strconv.Itoa(os.Getpid())), 0)
			return &slotFile{at, file}, nil
		case !errors.Is(err, unix.EWOULDBLOCK):
			return nil, fmt.Errorf("the slot %s: %w", name, err)
		}
		if pid := holderPID(at, name); pid > 0 {
			full.PIDs = append(full.PIDs, pid)
		}
	}
	return nil, full
}

// lockSlot opens and locks the file of a slot. If somebody has removed the file meanwhile, it is created anew: a lock
// on a file without a name keeps nobody out.
func lockSlot(at int, name string) (int, error) {
	const tries = 10
	for range tries {
		file, err := unix.Openat(at, name, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC,
			0o600)
		if err != nil {
			return 0, err
		}
		if err = unix.Flock(file, unix.LOCK_EX|unix.LOCK_NB); err == nil && sameFile(file, at, name) {
			return file, nil
		}
		_ = unix.Close(file)
		if err != nil {
			return 0, err
		}
	}
	return 0, errors.New("its file is removed again and again")
}

// sameFile reports whether a name still leads to an open file.
func sameFile(file, at int, name string) bool {
	var open, named unix.Stat_t
	return unix.Fstat(file, &open) == nil && unix.Fstatat(at, name, &named, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		open.Ino == named.Ino
}

// holderPID returns the PID in the file of a slot; 0: its program has not written it yet.
func holderPID(at int, name string) int {
	file, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Close(file) }()
	const longest = 20
	text := make([]byte, longest)
	n, err := unix.Pread(file, text, 0)
	if err != nil || n <= 0 {
		return 0
	}
	pid, _ := strconv.Atoi(string(text[:n]))
	return max(pid, 0)
}
