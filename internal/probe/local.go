package probe

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ticksPerSecond is USER_HZ, the unit of the times in /proc/PID/stat: 100 wherever there are NVIDIA drivers for data centers.
const ticksPerSecond = 100

// localProcesses describes the processes of this node. Static properties are read once, on another goroutine: reading the command line or
// the environment of a process that hangs in the driver may take as long as the process hangs. Each listing reads only /proc/PID/stat, so
// procfs is fast enough: 13 µs per process and listing, 70 µs once per process.
type localProcesses struct {
	proc  procfs.FS
	whole bool               // this is the first PID namespace: all processes are in it
	alive func(pid int) bool // whether there is such a process in this PID namespace, even if /proc hides it
	at    Moment
	known map[int]*localProcess // the previous listing, by PID
	now   map[int]*localProcess // this listing

	identities *lookups[processKey, identity]
	users      *lookups[int, string] // names by UID; a look-up may query a directory server
}

// localProcess is one process. It has a PID only, if /proc hides it.
type localProcess struct {
	wire.Process // except the fields that NVML provides
	identified   bool
	ours         bool // there was such a process in this PID namespace
	gone         bool // it has exited

	// The CPU time at the beginning of the window for CPUPercent; for a process that is not in /proc, when it was first listed.
	ticks uint64
	since time.Duration // Moment.Mono
}

// processKey identifies a program that a process runs. PIDs are reused, and a process that called exec runs another program.
type processKey struct {
	pid   int
	start uint64
	name  string
}

func (p *localProcess) key() processKey { return processKey{p.PID, p.StartTicks, p.Name} }

func newLocalProcesses(mount string) *localProcesses {
	proc, err := procfs.NewFS(mount)
	if err != nil {
		proc = procfs.FS{} // every process is hidden
	}
	namespace, _ := os.Readlink(filepath.Join(mount, "self", "ns", "pid")) // empty if it cannot be read
	return &localProcesses{
		proc:       proc,
		whole:      namespace == firstNamespace,
		alive:      alive,
		identities: newLookups(func(k processKey) identity { return identifyOwn(proc, mount, k) }),
		users:      newLookups(userName),
	}
}

// firstNamespace is the PID namespace of the kernel itself, which has all processes; its number is fixed.
const firstNamespace = "pid:[4026531836]"

// foreignAfter is how long the driver must list a PID that is none here until that is no process that is just exiting.
const foreignAfter = 2 * time.Second

// begin starts a listing, end ends it and forgets the processes that were not looked at in between.
func (l *localProcesses) begin(at Moment) {
	l.at = at
	l.now = make(map[int]*localProcess, len(l.known))
}

func (l *localProcesses) end() {
	l.known, l.now = l.now, nil
	l.identities.forget(func(k processKey) bool { return l.known[k.pid] == nil || l.known[k.pid].key() != k })
}

// look reads the changing properties of a process and asks for the static ones.
func (l *localProcesses) look(pid int) {
	if _, seen := l.now[pid]; seen {
		return
	}
	lp := l.read(pid)
	if lp == nil {
		lp = l.absent(pid)
	}
	lp.PID = pid
	l.now[pid] = lp
	if lp.StartTicks > 0 && !lp.identified {
		l.identities.get(lp.key())
	}
}

// absent returns a process that is not in /proc. /proc may hide processes of other users, but not from a signal, of which no permission is
// another error than no process. A PID that is none here has exited, or is one of another PID namespace: the driver lists it for longer.
func (l *localProcesses) absent(pid int) *localProcess {
	lp, old := &localProcess{since: l.at.Mono}, l.known[pid]
	switch {
	case l.alive(pid):
		lp.ours = true
	case l.whole, old != nil && old.ours:
		lp.ours, lp.gone = true, true
	case old != nil:
		lp.since = old.since
		lp.Foreign = l.at.Mono-old.since >= foreignAfter
	}
	return lp
}

// settle fills in the static properties that are known, and reports whether those of all processes are. It waits only briefly: a later listing
// will have the others.
func (l *localProcesses) settle() (complete bool) {
	var strangers []*localProcess
	for _, lp := range l.now {
		if lp.StartTicks > 0 && !lp.identified {
			strangers = append(strangers, lp)
		}
	}
	if len(strangers) == 0 {
		return true
	}
	deadline := time.Now().Add(lookupPatience)
	l.identities.wait(deadline)
	for _, lp := range strangers {
		if who, known := l.identities.get(lp.key()); known {
			lp.UID, lp.Command, lp.Directory = who.uid, who.command, who.directory
			lp.Job, lp.Step, lp.Rank = who.Job, who.Step, who.Rank
			lp.identified = who.uid == nil
		}
		if lp.UID != nil {
			l.users.get(*lp.UID)
		}
	}
	l.users.wait(deadline)
	complete = true
	for _, lp := range strangers {
		if lp.UID != nil {
			lp.User, lp.identified = l.users.get(*lp.UID)
		}
		complete = complete && lp.identified
	}
	return complete
}

// describe returns a process that was looked at, without the fields that NVML provides; false if it has exited.
func (l *localProcesses) describe(pid int) (p wire.Process, exists bool) {
	lp := l.now[pid]
	return lp.Process, !lp.gone
}

// read reads the changing properties of a process; nil if it is not in /proc.
func (l *localProcesses) read(pid int) *localProcess {
	proc, err := l.proc.Proc(pid)
	if err != nil {
		return nil
	}
	stat, err := proc.Stat()
	if err != nil {
		return nil
	}
	lp := &localProcess{ticks: uint64(stat.UTime) + uint64(stat.STime), since: l.at.Mono, ours: true}
	if old := l.known[pid]; old != nil && old.StartTicks == stat.Starttime && old.Name == stat.Comm {
		lp.Process, lp.identified = old.Process, old.identified
		lp.measureCPU(old)
	} else {
		lp.StartTicks, lp.Name = stat.Starttime, stat.Comm
	}
	lp.gone = (stat.State == "Z" || stat.State == "X") && stat.NumThreads <= 1 // the first thread may end before the others
	lp.State, lp.Parent = stat.State, stat.PPID
	threads, rss := stat.NumThreads, uint64(max(stat.ResidentMemory(), 0))
	lp.Threads, lp.RSS = &threads, &rss
	lp.ElapsedSec = elapsed(l.at, stat.Starttime)
	return lp
}

// elapsed is how long a process has run; nil if unknown.
func elapsed(at Moment, startTicks uint64) *int64 {
	d := at.Boot - time.Duration(startTicks)*(time.Second/ticksPerSecond)
	if at.Boot <= 0 || d < 0 {
		return nil
	}
	seconds := int64(d.Seconds())
	return &seconds
}

// measureCPU computes the share of one CPU since the previous listing, or repeats it if that was a moment ago.
func (lp *localProcess) measureCPU(old *localProcess) {
	window := lp.since - old.since
	if window < minWindow || lp.ticks < old.ticks {
		lp.ticks, lp.since = old.ticks, old.since
		return
	}
	lp.CPUPercent = hundredths(100 * float64(lp.ticks-old.ticks) / ticksPerSecond / window.Seconds())
}

// hundredths rounds a percentage to the precision of the kernel's counters, which also saves bytes of JSON.
func hundredths(percent float64) *float64 {
	percent = math.Round(percent*100) / 100
	return &percent
}
