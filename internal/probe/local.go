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

// localProcesses knows the processes of this node. What does not change while a process lives is read once, and by somebody else: to read the
// command line of a process that hangs in the driver may take as long as it hangs. In every listing only /proc/PID/stat is read. That
// suffices for procfs to do the parsing: 13 µs a process and listing, 70 µs once.
type localProcesses struct {
	proc  procfs.FS
	at    Moment
	known map[int]*localProcess // the listing before, by PID
	now   map[int]*localProcess // this listing

	identities *lookups[processKey, identity]
	users      *lookups[int, string] // names by UID: to look one up may ask a directory server
}

// localProcess is one process; its zero value one that /proc hides or that ended meanwhile.
type localProcess struct {
	wire.Process // without what the GPU tells
	identified   bool

	// The CPU time at the beginning of the window over which CPUPercent is worked out.
	ticks uint64
	since time.Duration // Moment.Mono
}

// processKey is one program that one process runs: the PID alone is no identity, and a process that called exec is another program.
type processKey struct {
	pid   int
	start uint64
	name  string
}

func (p *localProcess) key() processKey { return processKey{p.PID, p.StartTicks, p.Name} }

// identity is what does not change. What cannot be read is absent.
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

// begin starts a listing, end ends it: processes that were not described in between are forgotten.
func (l *localProcesses) begin(at Moment) {
	l.at = at
	l.now = make(map[int]*localProcess, len(l.known))
}

func (l *localProcesses) end() {
	l.known, l.now = l.now, nil
	l.identities.forget(func(k processKey) bool { return l.known[k.pid] == nil || l.known[k.pid].key() != k })
}

// look reads what changes of a process. What does not change is asked for.
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

// settle takes over what is known by now of the processes that were looked at. It waits a moment for what is not: a later listing has it.
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

// describe is what the node knows of a process that was looked at: all but what NVML tells.
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

// elapsed is how long a process has run; nil when that is not known.
func elapsed(at Moment, startTicks uint64) *int64 {
	d := at.Boot - time.Duration(startTicks)*(time.Second/ticksPerSecond)
	if at.Boot <= 0 || d < 0 {
		return nil
	}
	seconds := int64(d.Seconds())
	return &seconds
}

// measureCPU works out the share of one CPU since the listing before, or repeats it when that was a moment ago.
func (lp *localProcess) measureCPU(old *localProcess) {
	window := lp.since - old.since
	if window < minWindow || lp.ticks < old.ticks {
		lp.ticks, lp.since = old.ticks, old.since
		return
	}
	lp.CPUPercent = hundredths(100 * float64(lp.ticks-old.ticks) / ticksPerSecond / window.Seconds())
}

// hundredths rounds a percentage to what the kernel's counting is good for, which also spares bytes of JSON.
func hundredths(percent float64) *float64 {
	percent = math.Round(percent*100) / 100
	return &percent
}

// identify reads what does not change of a process. It may take for ever.
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

// userName is the name of a user, or the number where the node has no name for it. It may take for ever.
func userName(uid int) string {
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		return u.Username
	}
	return name
}

// commandLine joins arguments, cut to what the wire takes and to whole characters.
func commandLine(args []string) string {
	return text.Cut(strings.TrimRight(strings.ToValidUTF8(strings.Join(args, " "), "?"), " "), wire.MaxCommand)
}
