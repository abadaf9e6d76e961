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

// ticksPerSecond is USER_HZ, the unit of the times in /proc/PID/stat: 100 wherever there are NVIDIA drivers for data centres.
const ticksPerSecond = 100

// localProcesses knows the processes of this node. What does not change while a process lives is read once; in every listing only
// /proc/PID/stat is. That suffices for procfs to do the parsing: 13 µs a process and listing, 70 µs once.
type localProcesses struct {
	proc  procfs.FS
	at    Moment
	known map[int]*localProcess // the listing before, by PID
	now   map[int]*localProcess // this listing
	users map[int]string        // names by UID: to look one up may ask a directory server
}

// localProcess is one process; its zero value one that /proc hides or that ended meanwhile.
type localProcess struct {
	wire.Process // without what the GPU tells

	// The CPU time at the beginning of the window over which CPUPercent is worked out.
	ticks uint64
	since time.Duration // Moment.Mono
}

func newLocalProcesses(mount string) *localProcesses {
	proc, err := procfs.NewFS(mount)
	if err != nil {
		proc = procfs.FS{} // every process is hidden
	}
	return &localProcesses{proc: proc, users: map[int]string{}}
}

// begin starts a listing, end ends it: processes that were not described in between are forgotten.
func (l *localProcesses) begin(at Moment) {
	l.at = at
	l.now = make(map[int]*localProcess, len(l.known))
}

func (l *localProcesses) end() {
	l.known, l.now = l.now, nil
}

// describe is what the node knows of a process: all but what NVML tells.
func (l *localProcesses) describe(pid int) wire.Process {
	lp, seen := l.now[pid]
	if !seen {
		lp = l.read(pid)
		l.now[pid] = lp
	}
	p := lp.Process
	p.PID = pid
	return p
}

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
	// The PID alone is no identity, and a process that called exec is another program under the old one.
	old := l.known[pid]
	if old != nil && old.StartTicks == stat.Starttime && old.Name == stat.Comm {
		lp.Process = old.Process
		lp.measureCPU(old)
	} else {
		lp.StartTicks, lp.Name = stat.Starttime, stat.Comm
		l.identify(proc, lp)
	}
	rss := uint64(max(stat.ResidentMemory(), 0))
	lp.RSS = &rss
	if elapsed := l.at.Boot - time.Duration(stat.Starttime)*(time.Second/ticksPerSecond); l.at.Boot > 0 && elapsed >= 0 {
		seconds := int64(elapsed.Seconds())
		lp.ElapsedSec = &seconds
	}
	return lp
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

// identify reads what does not change. What cannot be read stays empty.
func (l *localProcesses) identify(proc procfs.Proc, lp *localProcess) {
	if status, err := proc.NewStatus(); err == nil {
		uid := int(status.UIDs[0])
		lp.UID, lp.User = &uid, l.userName(uid)
	}
	if args, err := proc.CmdLine(); err == nil {
		lp.Command = commandLine(args)
	}
	if groups, err := proc.Cgroups(); err == nil {
		for _, g := range groups {
			if lp.Job = jobInPath(g.Path); lp.Job != "" {
				break
			}
		}
	}
}

// userName is the name of a user, or the number where the node has no name for it.
func (l *localProcesses) userName(uid int) string {
	name, known := l.users[uid]
	if !known {
		name = strconv.Itoa(uid)
		if u, err := user.LookupId(name); err == nil {
			name = u.Username
		}
		l.users[uid] = name
	}
	return name
}

// commandLine joins arguments, cut to what the wire takes and to whole characters.
func commandLine(args []string) string {
	return text.Cut(strings.TrimRight(strings.ToValidUTF8(strings.Join(args, " "), "?"), " "), wire.MaxCommand)
}
