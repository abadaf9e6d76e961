package track

import (
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
)

const (
	// sure is how many looks must find a process to be a stranger before it is no longer read. At the first look, its
	// parent may not have been seen yet.
	sure = 2
	// forgetful is after how many looks all processes are read again: a PID may belong to another process now.
	forgetful = 60
)

// family is the command and its descendants. A look lists /proc, but reads only the members and new processes: on a
// node with thousands of processes, reading all of them would cost more than everything else.
type family struct {
	mount      string // of procfs
	self, main int
	own        func(pid int) bool // a child of self that is not an orphan of the command

	looks     int
	members   map[int]*member // by PID
	strangers map[int]int     // number of looks that found it to be a stranger, by PID
	room      float64         // number of pages that may still be walked now

	reaped  float64 // CPU seconds of the orphans that have ended
	largest uint64  // their largest memory, in bytes
}

// member is a process of the family.
type member struct {
	proc.Stat
	processMemory
	files proc.Process
}

// isSameProcess reports whether the process is still the one of stat: its PID may have been reused.
func (m *member) isSameProcess(stat *proc.Stat) bool { return m != nil && m.Start == stat.Start }

// readMembers finds the members and reads them. It mostly reads parents before their children: then a child that ends
// meanwhile is missed in this look, and not counted twice. It reports whether there is a /proc.
func (f *family) readMembers(since time.Duration) bool {
	pids := proc.All(f.mount)
	if len(pids) == 0 {
		return false
	}
	if f.looks++; f.looks%forgetful == 0 {
		clear(f.strangers)
	}
	var stats []member
	strangers := make(map[int]int, len(pids))
	for _, pid := range pids {
		if times := f.strangers[pid]; times >= sure {
			strangers[pid] = times
			continue
		}
		files := proc.Of(f.mount, pid)
		if stat, err := files.Stat(); err == nil { // otherwise it has ended
			stats = append(stats, member{Stat: stat, files: files})
		}
	}
	kin := f.memberPIDs(stats)
	members := make(map[int]*member, len(kin))
	for i := range stats {
		m := &stats[i]
		switch was := f.members[m.PID]; {
		case !kin[m.PID]:
			strangers[m.PID] = f.strangers[m.PID] + 1
		case f.isOver(&m.Stat):
			f.reapOrphan(&m.Stat)
		default:
			if was.isSameProcess(&m.Stat) {
				m.processMemory = was.processMemory
			}
			members[m.PID] = m
		}
	}
	f.members, f.strangers = members, strangers
	f.readMemory(since)
	return true
}

// memberPIDs returns the PIDs of the members: the command, the processes started by members, and orphans, which the
// kernel gives to self.
func (f *family) memberPIDs(stats []member) map[int]bool {
	kin := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for i := range stats {
			s := &stats[i].Stat
			if kin[s.PID] || s.PID == f.self {
				continue
			}
			if s.PID == f.main || f.members[s.PID].isSameProcess(s) || kin[s.Parent] || f.members[s.Parent] != nil ||
				s.Parent == f.self && !f.own(s.PID) {
				kin[s.PID], grown = true, true
			}
		}
	}
	return kin
}

// isOver reports whether stat belongs to an orphan that has ended: nobody else waits for it.
func (f *family) isOver(stat *proc.Stat) bool {
	return stat.Dead() && stat.Parent == f.self && stat.PID != f.main
}

// reapOrphan waits for an orphan that has ended.
func (f *family) reapOrphan(stat *proc.Stat) {
	var used syscall.Rusage
	if pid, err := syscall.Wait4(stat.PID, nil, syscall.WNOHANG, &used); err == nil && pid == stat.PID {
		f.reaped += cpuSeconds(stat) + waitedSeconds(stat)
		f.largest = max(f.largest, PeakOf(&used))
	}
}

// PeakOf returns the largest resident memory of a process or of one of its descendants, in bytes. The kernel counts it
// in kilobytes.
func PeakOf(used *syscall.Rusage) uint64 { return uint64(max(used.Maxrss, 0)) << 10 }

// userHZ is the kernel's unit of CPU time, the same on all platforms of Go.
const userHZ = 100

// cpuSeconds returns the CPU time of a process. waitedSeconds returns the CPU time of its ended descendants that were
// waited for.
func cpuSeconds(s *proc.Stat) float64 { return float64(s.Ticks()) / userHZ }

func waitedSeconds(s *proc.Stat) float64 { return float64(s.Children.User+s.Children.System) / userHZ }

// cpuTimes returns the CPU time of the command and of its descendants, in seconds.
func (f *family) cpuTimes() (main, descendants float64) {
	descendants = f.reaped
	for pid, m := range f.members {
		descendants += waitedSeconds(&m.Stat)
		if pid == f.main {
			main = cpuSeconds(&m.Stat)
		} else {
			descendants += cpuSeconds(&m.Stat)
		}
	}
	return main, descendants
}

// countThreads counts the threads of the command and of its descendants.
func (f *family) countThreads() (main, descendants int) {
	for pid, m := range f.members {
		switch {
		case m.Dead():
		case pid == f.main:
			main = m.Threads
		default:
			descendants += m.Threads
		}
	}
	return main, descendants
}
