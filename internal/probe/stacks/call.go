package stacks

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// call is a system call in which threads may wait for long.
type call struct {
	does    string
	subject waitSubject
}

// waitingThreads returns the threads whose waits are examined: the main thread, and those that run Python.
func waitingThreads(all []wire.ThreadStack) (tids []int) {
	for i := range all {
		t := &all[i]
		if (t.Main || len(t.Frames) > 0) && (t.State == "S" || t.State == "D") && len(tids) < wire.MaxStackCalls {
			tids = append(tids, t.TID)
		}
	}
	return tids
}

// findCalls finds the system calls in which threads wait. It examines only names, as findWaits does, and may never
// return.
func (l *stacksBuilder) findCalls(tids []int) map[int]*wire.SystemCall {
	calls := map[int]*wire.SystemCall{}
	for _, tid := range tids {
		if number, arguments, is := systemCall(l.process.Thread(tid)); is {
			if c := l.describeCall(number, arguments); c != nil {
				calls[tid] = c
			}
		}
	}
	return calls
}

func (l *stacksBuilder) addCalls(all []wire.ThreadStack, calls map[int]*wire.SystemCall) {
	for i := range all {
		all[i].Call = calls[all[i].TID]
	}
}

// arguments are those of a system call.
type arguments [6]uint64

// systemCall returns the system call that a thread is in; false: the thread runs, or the kernel does not say.
func systemCall(task proc.Process) (number int, of arguments, is bool) {
	var line [256]byte
	n, err := proc.Read(string(task)+"/syscall", line[:])
	words := strings.Fields(string(line[:n])) // "0 0x3 0x7ffc… …": its number and arguments
	if err != nil || len(words) <= len(of) {
		return 0, of, false
	}
	if number, err = strconv.Atoi(words[0]); err != nil { // "running"
		return 0, of, false
	}
	for i := range of {
		of[i], _ = strconv.ParseUint(strings.TrimPrefix(words[1+i], "0x"), 16, 64) // the kernel writes a number
	}
	return number, of, number >= 0 // negative: a page fault
}

// describeCall describes a system call; nil: it tells nothing.
func (l *stacksBuilder) describeCall(number int, of arguments) *wire.SystemCall {
	known := callOf(number)
	c := &wire.SystemCall{Does: known.does}
	switch known.subject {
	case nothing:
	case aDescriptor:
		l.addFile(c, descriptorOf(of[0]))
	case aPath:
		c.File = l.pathOf(atWorkingDirectory, of[0])
	case aPathAt:
		c.File = l.pathOf(descriptorOf(of[0]), of[1])
	case aLock:
		if command := of[1]; command != setLockAndWait && command != setOpenLockAndWait {
			return nil
		}
		l.addFile(c, descriptorOf(of[0]))
	case aChild:
		c.Child = max(0, descriptorOf(of[0])) // 0: any child, or a group
	case aChildByKind:
		if of[0] == kindIsPID {
			c.Child = max(0, descriptorOf(of[1]))
		}
	case polled:
		return l.describePoll(of[0], of[1])
	case selected:
		return l.describeSelect(of[0], of[1])
	default:
		return nil
	}
	return c
}

// Commands of fcntl(2) that wait for a lock, and the kind of waitid(2) that means a PID.
const (
	setLockAndWait, setOpenLockAndWait = 7, 38
	kindIsPID                          = 1
)

// descriptorOf returns an argument that is a C int.
func descriptorOf(argument uint64) int { return int(int32(argument)) }

// addFile adds the name of a descriptor.
func (l *stacksBuilder) addFile(c *wire.SystemCall, fd int) {
	name, err := os.Readlink(string(l.process) + "/fd/" + strconv.Itoa(fd))
	if err != nil {
		return
	}
	c.FD, c.File = &fd, cutName(name)
}

// pathOf returns the path at an address in the memory of the process; empty: it is not known.
func (l *stacksBuilder) pathOf(dir int, at uint64) string {
	if w := l.fileAtPath(dir, at, nil); w != nil {
		return w.Path
	}
	return ""
}

// describePoll describes poll(2) on one descriptor: with several it is not known which one matters.
func (l *stacksBuilder) describePoll(at, number uint64) *wire.SystemCall {
	const size, events, input, output = 8, 4, 1, 4 // of struct pollfd, POLLIN, POLLOUT
	if number != 1 {
		return nil
	}
	entry, err := memory.Open(l.PID, time.Now().Add(patience)).Bytes(at, size)
	if err != nil {
		return nil
	}
	c := &wire.SystemCall{}
	switch wanted := binary.LittleEndian.Uint16(entry[events:]); {
	case wanted&input != 0:
		c.Does = wire.CallReads
	case wanted&output != 0:
		c.Does = wire.CallWrites
	default:
		return nil
	}
	l.addFile(c, descriptorOf(uint64(binary.LittleEndian.Uint32(entry))))
	return c
}

// describeSelect describes select(2) on one descriptor that is to be read, as a prompt with readline does.
func (l *stacksBuilder) describeSelect(number, at uint64) *wire.SystemCall {
	const most = 1024 // FD_SETSIZE
	if number == 0 || number > most || at == 0 {
		return nil
	}
	set, err := memory.Open(l.PID, time.Now().Add(patience)).Bytes(at, int(number+7)/8)
	if err != nil {
		return nil
	}
	found := -1
	for fd := range int(number) {
		if set[fd/8]&(1<<(fd%8)) == 0 {
			continue
		}
		if found >= 0 {
			return nil
		}
		found = fd
	}
	if found < 0 {
		return nil
	}
	c := &wire.SystemCall{Does: wire.CallReads}
	l.addFile(c, found)
	return c
}

func cutName(name string) string { return text.Cut(strings.ToValidUTF8(name, "?"), wire.MaxPath) }
