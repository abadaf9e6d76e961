package stacks

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// findWaits finds the files that threads in state D wait for, by thread. It examines only names: what the kernel says
// about descriptors and mounts, never a file. It may never return.
func (l *stacksBuilder) findWaits(all []wire.ThreadStack) map[int]*wire.FileWait {
	waits := map[int]*wire.FileWait{}
	var mounts []proc.Mount
	for i := range all {
		t := &all[i]
		if t.State != "D" {
			continue
		}
		if mounts == nil {
			mounts, _ = proc.Mounts(filepath.Dir(string(l.process)), filepath.Base(string(l.process))) // or none
		}
		if w := l.awaitedFile(t.TID, mounts); w != nil {
			waits[t.TID] = w
		}
	}
	return waits
}

func (l *stacksBuilder) addWaits(all []wire.ThreadStack, waits map[int]*wire.FileWait) {
	for i := range all {
		all[i].WaitsFor = waits[all[i].TID]
	}
}

// awaitedFile finds the file that the system call of a thread is about.
func (l *stacksBuilder) awaitedFile(tid int, mounts []proc.Mount) *wire.FileWait {
	number, of, is := systemCall(l.process.Thread(tid))
	if !is {
		return nil
	}
	switch subjectOf(number) {
	case aDescriptor:
		return l.fileOfDescriptor(descriptorOf(of[0]), mounts)
	case aPath:
		return l.fileAtPath(atWorkingDirectory, of[0], mounts)
	case aPathAt:
		return l.fileAtPath(descriptorOf(of[0]), of[1], mounts)
	}
	return nil
}

// waitSubject is what a system call is about.
type waitSubject int

const (
	_           waitSubject = iota
	nothing                 // nothing that has a name
	aDescriptor             // in the first argument
	aPath
	aPathAt      // a descriptor of a directory, then a path
	aLock        // a descriptor, then a command of fcntl(2)
	aChild       // a PID
	aChildByKind // the kind is in the first argument, and the child in the second
	polled       // a list of descriptors, and its length
	selected     // the number of descriptors, and which of them are to be read
)

// atWorkingDirectory stands for the working directory where a descriptor is expected.
const atWorkingDirectory = -100

// fileOfDescriptor returns the file that a descriptor has open, with its mount.
func (l *stacksBuilder) fileOfDescriptor(fd int, mounts []proc.Mount) *wire.FileWait {
	name, err := os.Readlink(string(l.process) + "/fd/" + strconv.Itoa(fd))
	if err != nil || !strings.HasPrefix(name, "/") {
		return nil
	}
	var info [512]byte
	n, _ := proc.Read(string(l.process)+"/fdinfo/"+strconv.Itoa(fd), info[:]) // empty if it cannot be read
	_, after, _ := strings.Cut(string(info[:n]), "mnt_id:")
	words := strings.Fields(after)
	for i := range mounts {
		if len(words) > 0 && words[0] == strconv.Itoa(mounts[i].ID) {
			return fileWait(name, &mounts[i])
		}
	}
	return fileWait(name, mountOf(name, mounts))
}

// fileAtPath returns the file whose path is at an address in the memory of the process, with its mount.
func (l *stacksBuilder) fileAtPath(dir int, at uint64, mounts []proc.Mount) *wire.FileWait {
	name, err := memory.Open(l.PID, time.Now().Add(patience)).Text(at, wire.MaxPath)
	if err != nil || name == "" && dir == atWorkingDirectory {
		return nil
	}
	if !strings.HasPrefix(name, "/") {
		link := "/cwd"
		if dir != atWorkingDirectory {
			link = "/fd/" + strconv.Itoa(dir)
		}
		from, err := os.Readlink(string(l.process) + link)
		if err != nil || !strings.HasPrefix(from, "/") {
			return nil
		}
		name = from + "/" + name
	}
	name = filepath.Clean(name)
	return fileWait(name, mountOf(name, mounts))
}

// mountOf returns the file system that has a file; nil: not known. A later mount covers an earlier one.
func mountOf(name string, mounts []proc.Mount) (m *proc.Mount) {
	for i := range mounts {
		point := mounts[i].Point
		inside, below := strings.CutPrefix(name, strings.TrimSuffix(point, "/"))
		if below && (inside == "" || inside[0] == '/') && (m == nil || len(point) >= len(m.Point)) {
			m = &mounts[i]
		}
	}
	return m
}

func fileWait(name string, m *proc.Mount) *wire.FileWait {
	w := &wire.FileWait{Path: cutName(name)}
	if m != nil {
		w.FileSystem, w.Mount, w.Source = cutName(m.Type), cutName(m.Point), cutName(m.Source)
	}
	return w
}
