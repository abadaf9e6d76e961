// Package procs describes the processes on the GPUs: it reads /proc for each process that the driver lists.
//
// A Table adds the processes to reports. It is for one goroutine, the sampler. Values that change (CPU time, memory,
// state) are read there for each list. Values that stay (command line, user, working directory, job, rank) are read
// once per program that a process runs. They are read on goroutines of the Table, as are the bytes read and written in
// each list, since a process that hangs in the driver or a directory server may never answer. A list waits only briefly
// for these goroutines, and the next list has the late values. An Inspector reads one process on request; its methods
// may be called from any goroutine, and may never return.
package procs

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Table describes the processes of this node. Static properties are read once, on another goroutine: reading the
// command line or the environment may take as long as the process hangs in the driver. Each listing reads only
// /proc/PID/stat, and on another goroutine what the process uses.
type Table struct {
	whole bool               // this is the first PID namespace, which has all processes
	alive func(pid int) bool // reports whether this PID namespace has such a process, even if /proc hides it
	at    sample.Moment
	known map[int]*process // the previous listing, by PID
	now   map[int]*process // this listing

	identities *lookups[processKey, *identity]
	users      *lookups[int, string] // names by UID; a look-up may ask a directory server
	uses       *lookups[processKey, *processUsage]

	mount string // mount point of procfs

	lists listSchedule // times of the lists that nobody asked for
}

// New returns a Table of the processes in the procfs at mount. jobs finds their jobs.
func New(mount string, jobs *proc.LaunchJobs) *Table {
	namespace, _ := os.Readlink(filepath.Join(mount, "self", "ns", "pid")) // empty if it cannot be read
	return &Table{
		mount:      mount,
		whole:      namespace == firstNamespace,
		alive:      isAlive,
		identities: newLookups(func(k processKey) *identity { return identifyOwn(mount, jobs, k) }),
		users:      newLookups(UserName),
		uses:       newLookups(func(k processKey) *processUsage { return readUse(mount, k) }),
	}
}

// Due reports whether a report at that time lists processes even if nobody asked for them.
func (t *Table) Due(at sample.Moment) bool { return t.lists.due(at.Mono) }

// Renew makes the next list due at once.
func (t *Table) Renew() { t.lists = listSchedule{} }

// Read adds the processes on GPUs to a report, from the driver's lists. complete says that no GPU's list is missing.
// now is the time of the call, since reading the GPUs may have taken long.
func (t *Table) Read(sm *sample.Report, on []driver.Listing, complete bool, now sample.Moment) {
	t.begin(now)
	for i := range on {
		sm.Listed = true
		for _, c := range on[i].Contexts {
			t.readProcess(c.PID)
		}
	}
	complete = t.fillStatic() && complete
	t.settleUse()
	t.lists.noteListing(sm.At.Mono, complete)
	left := 0
	for i := range on {
		left += t.addProcesses(sm, &on[i])
	}
	proc.PlaceSpawned(sm.Processes, t.spawnedBy)
	t.end()
	proc.DropShared(sm.Processes)
	if left > 0 {
		sm.Fault(wire.CollectorProcesses, fmt.Errorf("more than %d processes: %d left out", wire.MaxProcesses, left))
	}
	if t.identities.isExhausted() || t.users.isExhausted() || t.uses.isExhausted() {
		sm.Fault("names", fmt.Errorf("%d processes or users cannot be looked up: giving up", maxStuck))
	}
}

// spawnedBy returns how another process on a GPU started this one; nil if none did.
func (t *Table) spawnedBy(pid int) *proc.Spawned {
	if lp := t.now[pid]; lp != nil {
		return lp.spawned
	}
	return nil
}

// addProcesses adds the processes on a GPU to a report. It returns the number of processes left out.
func (t *Table) addProcesses(sm *sample.Report, on *driver.Listing) (left int) {
	for _, c := range on.Contexts {
		p, exists := t.describeProcess(c.PID)
		if !exists {
			continue // the driver has not noticed the exit yet
		}
		if len(sm.Processes) == wire.MaxProcesses {
			left++
			continue
		}
		p.GPU, p.Type, p.GPUMemory = on.GPU, string(c.Type), c.Memory
		if u, ok := on.Usage[p.PID]; ok {
			p.Take(&u.Process)
		}
		sm.Processes = append(sm.Processes, p)
	}
	return left
}

// readProcess reads the changing properties of a process and asks for the static ones.
func (t *Table) readProcess(pid int) {
	if _, seen := t.now[pid]; seen {
		return
	}
	lp := t.readStat(pid)
	if lp == nil {
		lp = t.absentProcess(pid)
	}
	lp.PID = pid
	t.now[pid] = lp
	if lp.StartTicks > 0 {
		t.uses.getAnswer(lp.key())
		if !lp.identified {
			t.identities.getAnswer(lp.key())
		}
	}
}

// fillStatic fills in the static properties that are known, and reports whether all processes are complete now. It
// waits only briefly: a later listing will have the rest.
func (t *Table) fillStatic() (complete bool) {
	var strangers []*process
	for _, lp := range t.now {
		if lp.StartTicks > 0 && !lp.identified {
			strangers = append(strangers, lp)
		}
	}
	if len(strangers) == 0 {
		return true
	}
	deadline := time.Now().Add(lookupPatience)
	t.identities.awaitAnswers(deadline)
	for _, lp := range strangers {
		if who, known := t.identities.getAnswer(lp.key()); known {
			lp.UID, lp.Command, lp.Directory = who.uid, who.command, who.directory
			lp.setOrigin(who.Origin)
			lp.identified = who.uid == nil
		}
		if lp.UID != nil {
			t.users.getAnswer(*lp.UID)
		}
	}
	t.users.awaitAnswers(deadline)
	complete = true
	for _, lp := range strangers {
		if lp.UID != nil {
			lp.User, lp.identified = t.users.getAnswer(*lp.UID)
		}
		complete = complete && lp.identified
	}
	return complete
}

// describeProcess returns a process that was read, without the fields that NVML provides; false if it has just exited.
func (t *Table) describeProcess(pid int) (p wire.Process, exists bool) {
	lp := t.now[pid]
	return lp.Process, !lp.gone || lp.Ended
}

// begin starts a listing. end ends it, and forgets the processes that were not read in between.
func (t *Table) begin(at sample.Moment) {
	t.at = at
	t.now = make(map[int]*process, len(t.known))
	t.uses.forgetAnswers(func(processKey) bool { return true }) // late results too
}

func (t *Table) end() {
	t.known, t.now = t.now, nil
	t.identities.forgetAnswers(func(k processKey) bool { return t.known[k.pid] == nil || t.known[k.pid].key() != k })
}
