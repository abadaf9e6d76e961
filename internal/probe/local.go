package probe

import (
	"math"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ticksPerSecond is USER_HZ, the unit of the times in /proc/PID/stat: 100 wherever there are NVIDIA drivers for data centers.
const ticksPerSecond = 100

// localProcesses describes the processes of this node. Static properties are read once, on another goroutine: reading the command line of
// a process that hangs in the driver may take as long as the process hangs. Each listing reads only /proc/PID/stat, so procfs is fast
// enough: 13 µs per process and listing, 70 µs once per process.
type localProcesses struct {
	proc  procfs.FS
	at    Moment
	known map[int]*localProcess // the previous listing, by PID
	now   map[int]*localProcess // this listing

	identities *lookups[processKey, identity]
	users      *lookups[int, string] // names by UID; a look-up may query a directory server
}

// localProcess is one process. The zero value is one that /proc hides, or that has exited.
type localProcess struct {
	wire.Process // except the fields that NVML provides
	identified   bool

	// The CPU time at the beginning of the window for CPUPercent.
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

// identity holds the static properties of a process. A property that cannot be read is absent.
type identity struct {
	uid          *int
	command, job string
}

func newLocalProcesses(mount string) *localProcesses {
	proc, err := procfs.NewFS(mount)
	if err != nil {
		proc = procfs.FS{} // every process is hidden
	}
	return &localProcesses{
		proc:       proc,
		identities: newLookups(func(k processKey) identity { return identify(proc, k.pid) }),
		users:      newLookups(userName),
	}
}

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
	lp.PID = pid
	l.now[pid] = lp
	if lp.StartTicks > 0 && !lp.identified {
		l.identities.get(lp.key())
	}
}

// settle fills in the static properties that are known. It waits for the others only briefly: a later listing will have them.
func (l *localProcesses) settle() {
	var strangers []*localProcess
	for _, lp := range l.now {
		if lp.StartTicks > 0 && !lp.identified {
			strangers = append(strangers, lp)
		}
	}
	if len(strangers) == 0 {
		return
	}
	deadline := time.Now().Add(lookupPatience)
	l.identities.wait(deadline)
	for _, lp := range strangers {
		if who, known := l.identities.get(lp.key()); known {
			lp.UID, lp.Command, lp.Job = who.uid, who.command, who.job
			lp.identified = who.uid == nil
		}
		if lp.UID != nil {
			l.users.get(*lp.UID)
		}
	}
	l.users.wait(deadline)
	for _, lp := range strangers {
		if lp.UID != nil {
			lp.User, lp.identified = l.users.get(*lp.UID)
		}
	}
}

// describe returns a process that was looked at, without the fields that NVML provides.
func (l *localProcesses) describe(pid int) wire.Process { return l.now[pid].Process }

func (l *localProcesses) read(pid int) *localProcess {
	proc, err := l.proc.Proc(pid)
	if err != nil {
		return &localProcess{}
	}
	stat, err := proc.Stat()
	if err != nil {
		return &localProcess{}
	}
	lp := &localProcess{ticks: uint64(stat.UTime) + uint64(stat.STime), since: l.at.Mono}
	if old := l.known[pid]; old != nil && old.StartTicks == stat.Starttime && old.Name == stat.Comm {
		lp.Process, lp.identified = old.Process, old.identified
		lp.measureCPU(old)
	} else {
		lp.StartTicks, lp.Name = stat.Starttime, stat.Comm
	}
	rss := uint64(max(stat.ResidentMemory(), 0))
	lp.RSS = &rss
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

// identify reads the static properties of a process. It may never return.
func identify(fs procfs.FS, pid int) (who identity) {
	proc, err := fs.Proc(pid)
	if err != nil {
		return identity{}
	}
	if status, err := proc.NewStatus(); err == nil {
		uid := int(status.UIDs[0])
		who.uid = &uid
	}
	if args, err := proc.CmdLine(); err == nil {
		who.command = commandLine(args)
	}
	if groups, err := proc.Cgroups(); err == nil {
		for _, g := range groups {
			if who.job = jobInPath(g.Path); who.job != "" {
				break
			}
		}
	}
	return who
}

// userName returns the name of a user, or the number if the node knows no name. It may never return.
func userName(uid int) string {
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		return u.Username
	}
	return name
}

// commandLine joins arguments, cut at a character to the limit of the wire.
func commandLine(args []string) string {
	return text.Cut(strings.TrimRight(strings.ToValidUTF8(strings.Join(args, " "), "?"), " "), wire.MaxCommand)
}
