package track

import (
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

const (
	// sure is in how many looks a process must be a stranger before it is not read again. In the first, its parent may
	// not have been seen yet.
	sure = 2
	// forgetful is after how many looks all processes are read again: a PID may belong to another process now.
	forgetful = 60
)

// family is the command and its descendants. A look lists /proc, but reads only the members and what is new: on a node
// with thousands of processes reading all of them would cost more than all else.
type family struct {
	fs         procfs.FS
	self, main int
	own        func(pid int) bool // a child of self that is no orphan of the command

	looks     int
	members   map[int]*member // by PID
	strangers map[int]int     // in how many looks, by PID
	room      float64         // how many pages may be walked now

	reaped  float64 // seconds of CPU of the orphans that have ended
	largest uint64  // of them, in bytes
}

// member is a process of the family.
type member struct {
	procfs.ProcStat
	memory
	proc procfs.Proc
}

// is reports whether the process still is the one of stat: its PID may have been used again.
func (m *member) is(stat *procfs.ProcStat) bool { return m != nil && m.Starttime == stat.Starttime }

// alive reports whether the process has memory and threads, and is not a zombie.
func (m *member) alive() bool { return m.State != "Z" && m.State != "X" }

// look finds the members and reads them. Parents are read before their children, mostly: a child that ends meanwhile is
// missed in this look, and not counted twice.
func (f *family) look(since time.Duration) error {
	procs, err := f.fs.AllProcs()
	if err != nil {
		return err
	}
	if f.looks++; f.looks%forgetful == 0 {
		clear(f.strangers)
	}
	var stats []member
	strangers := make(map[int]int, len(procs))
	for _, p := range procs {
		if times := f.strangers[p.PID]; times >= sure {
			strangers[p.PID] = times
			continue
		}
		if stat, err := p.Stat(); err == nil { // else it has ended
			stats = append(stats, member{ProcStat: stat, proc: p})
		}
	}
	kin := f.kin(stats)
	members := make(map[int]*member, len(kin))
	for i := range stats {
		m := &stats[i]
		switch was := f.members[m.PID]; {
		case !kin[m.PID]:
			strangers[m.PID] = f.strangers[m.PID] + 1
		case f.isOver(&m.ProcStat):
			f.reap(&m.ProcStat)
		default:
			if was.is(&m.ProcStat) {
				m.memory = was.memory
			}
			members[m.PID] = m
		}
	}
	f.members, f.strangers = members, strangers
	f.readMemory(since)
	return nil
}

// kin are the PIDs of the members: the command, what its members have started, and orphans, which the kernel gives to
// self.
func (f *family) kin(stats []member) map[int]bool {
	kin := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for i := range stats {
			s := &stats[i].ProcStat
			if kin[s.PID] || s.PID == f.self {
				continue
			}
			if s.PID == f.main || f.members[s.PID].is(s) || kin[s.PPID] || f.members[s.PPID] != nil ||
				s.PPID == f.self && !f.own(s.PID) {
				kin[s.PID], grown = true, true
			}
		}
	}
	return kin
}

// isOver reports whether stat is of an orphan that has ended: nobody else waits for it.
func (f *family) isOver(stat *procfs.ProcStat) bool {
	return stat.State == "Z" && stat.PPID == f.self && stat.PID != f.main
}

// reap waits for an orphan that has ended.
func (f *family) reap(stat *procfs.ProcStat) {
	var used syscall.Rusage
	if pid, err := syscall.Wait4(stat.PID, nil, syscall.WNOHANG, &used); err == nil && pid == stat.PID {
		f.reaped += seconds(stat) + waited(stat)
		f.largest = max(f.largest, PeakOf(&used))
	}
}

// PeakOf is the largest resident memory, in bytes, that a process or one of its descendants had. The kernel counts it
// in kilobytes.
func PeakOf(used *syscall.Rusage) uint64 { return uint64(max(used.Maxrss, 0)) << 10 }

// userHZ is the kernel's unit of CPU time, the same on all platforms of Go.
const userHZ = 100

// seconds is the CPU time of a process, and waited that of its descendants that have ended and that were waited for.
func seconds(s *procfs.ProcStat) float64 { return s.CPUTime() }

func waited(s *procfs.ProcStat) float64 { return float64(s.CUTime+s.CSTime) / userHZ }

// cpu is the CPU time of the command and of its descendants, in seconds.
func (f *family) cpu() (main, descendants float64) {
	descendants = f.reaped
	for pid, m := range f.members {
		descendants += waited(&m.ProcStat)
		if pid == f.main {
			main = seconds(&m.ProcStat)
		} else {
			descendants += seconds(&m.ProcStat)
		}
	}
	return main, descendants
}

// threads counts those of the command and of its descendants.
func (f *family) threads() (main, descendants int) {
	for pid, m := range f.members {
		switch {
		case !m.alive():
		case pid == f.main:
			main = m.NumThreads
		default:
			descendants += m.NumThreads
		}
	}
	return main, descendants
}
