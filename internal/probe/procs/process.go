package procs

import (
	"math"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ticksPerSecond is USER_HZ, the unit of the times in /proc/PID/stat: 100 wherever there are NVIDIA drivers for data
// centers.
const ticksPerSecond = 100

// process is one process. If /proc hides it, it has only a PID.
type process struct {
	wire.Process // except the fields that NVML provides
	identified   bool
	spawned      *proc.Spawned
	arguments    uint64 // where they are in its memory: exec puts them elsewhere; 0: not known
	renamed      bool   // its job and rank are those of an earlier name
	ours         bool   // a process with this PID is, or was, in this PID namespace
	gone         bool   // it has exited, no later than since

	// The CPU time at the beginning of the window for CPUPercent; for a process that is not in /proc, when it was first
	// listed.
	ticks uint64
	since time.Duration // Moment.Mono

	io      *proc.IO // counters at the beginning of the window for IORead and IOWrite; nil: unknown
	ioSince time.Duration
}

// processKey identifies a program that a process runs. PIDs are reused, and a process that called exec runs another
// program.
type processKey struct {
	pid   int
	start uint64
	name  string
}

func (p *process) key() processKey { return processKey{p.PID, p.StartTicks, p.Name} }

// firstNamespace is the kernel's first PID namespace, which has all processes; its number is fixed.
const firstNamespace = "pid:[4026531836]"

// foreignAfter is how long a PID that this namespace does not have must be listed before it cannot be a process that is
// just exiting.
const foreignAfter = 2 * time.Second

// endedAfter is how long an exited process must stay in the driver's list before it is shown: giving back much memory
// may take seconds.
const endedAfter = 10 * time.Second

// absentProcess returns a process that is not in /proc. /proc may hide processes of other users, but a signal to them
// fails only for lack of permission. A PID that a signal does not find belongs to a process that has exited, or to one
// in another PID namespace, which the driver lists for longer.
func (t *Table) absentProcess(pid int) *process {
	lp, old := &process{since: t.at.Mono}, t.known[pid]
	switch {
	case t.alive(pid):
		lp.ours = true
	case t.whole, old != nil && old.ours:
		lp.ours, lp.gone = true, true
		if old != nil && old.gone && old.StartTicks == 0 {
			lp.since = old.since
		}
		lp.Ended = t.at.Mono-lp.since >= endedAfter
	case old != nil:
		lp.since = old.since
		lp.Foreign = t.at.Mono-old.since >= foreignAfter
	}
	return lp
}

// readStat reads the changing properties of a process; nil if it is not in /proc.
func (t *Table) readStat(pid int) *process {
	stat, err := proc.Of(t.mount, pid).Stat()
	if err != nil {
		return nil
	}
	lp := &process{ticks: stat.Ticks(), since: t.at.Mono, ours: true}
	if old := t.known[pid]; old != nil && old.StartTicks == stat.Start && old.Name == stat.Comm {
		lp.Process, lp.identified, lp.spawned, lp.renamed = old.Process, old.identified, old.spawned, old.renamed
		lp.measureCPU(old)
	} else {
		lp.StartTicks, lp.Name = stat.Start, stat.Comm
		lp.keepOrigin(old, &stat)
	}
	lp.arguments = stat.ArgumentsFrom
	lp.gone, lp.State, lp.Parent = stat.Dead(), stat.State, stat.Parent
	threads, rss := stat.Threads, stat.RSS*uint64(os.Getpagesize())
	lp.Threads, lp.RSS = &threads, &rss
	lp.ElapsedSec = Elapsed(t.at, stat.Start)
	return lp
}

// keepOrigin copies how a process was started from the previous listing, if it is the same program and only its name
// has changed.
func (lp *process) keepOrigin(old *process, stat *proc.Stat) {
	if old != nil && old.identified && old.StartTicks == stat.Start && old.arguments == stat.ArgumentsFrom &&
		old.arguments > 0 {
		lp.Job, lp.Step, lp.Rank, lp.NoRank, lp.spawned = old.Job, old.Step, old.Rank, old.NoRank, old.spawned
		lp.renamed = true
	}
}

// setOrigin fills in how a process was started. What its environment said stays true even if the program has
// overwritten it since.
func (lp *process) setOrigin(from proc.Origin) {
	if !lp.renamed || from.NoRank != wire.NoRankOverwritten {
		lp.Job, lp.Step, lp.Rank, lp.NoRank, lp.spawned = from.Job, from.Step, from.Rank, from.NoRank, from.Spawned
	}
}

// Elapsed is how long a process has run; nil if unknown.
func Elapsed(at sample.Moment, startTicks uint64) *int64 {
	d := at.Boot - time.Duration(startTicks)*(time.Second/ticksPerSecond)
	if at.Boot <= 0 || d < 0 {
		return nil
	}
	seconds := int64(d.Seconds())
	return &seconds
}

// measureCPU computes the share of one CPU since the previous listing, or repeats the last share if that listing was
// only a moment ago.
func (lp *process) measureCPU(old *process) {
	window := lp.since - old.since
	if window < host.MinWindow || lp.ticks < old.ticks {
		lp.ticks, lp.since = old.ticks, old.since
		return
	}
	lp.CPUPercent = roundPercent(100 * float64(lp.ticks-old.ticks) / ticksPerSecond / window.Seconds())
}

// roundPercent rounds a percentage to the precision of the kernel's counters, which also saves bytes of JSON.
func roundPercent(percent float64) *float64 {
	percent = math.Round(percent*100) / 100
	return &percent
}
