package procs

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// processUsage has the values of a process that each listing reads besides its stat. A read does not return while the
// process runs exec and its old memory hangs in the driver, so a goroutine of the lookups does it.
type processUsage struct {
	io       *proc.IO // nil: unknown, as for another user's process
	affinity string   // empty: unknown
}

// readUse reads the use of a process. It may never return.
func readUse(mount string, k processKey) *processUsage {
	process := proc.Of(mount, k.pid)
	u := &processUsage{affinity: allowedCPUs(process)}
	if io, err := process.IO(); err == nil {
		u.io = &io
	}
	return u
}

// allowedCPUs returns the list of CPUs that a process may use; empty: unknown, or too long.
func allowedCPUs(process proc.Process) string {
	list, known := process.AllowedCPUs()
	if !known || len(list) > wire.MaxAffinity {
		return ""
	}
	return list
}

// settleUse fills in the use of the processes of this listing. Values that are late stay absent.
func (t *Table) settleUse() {
	t.uses.awaitAnswers(time.Now().Add(lookupPatience))
	for _, lp := range t.now {
		if lp.StartTicks > 0 {
			u, known := t.uses.getAnswer(lp.key())
			if !known {
				u = &processUsage{}
			}
			lp.CPUAffinity = u.affinity
			lp.measureIO(t.known[lp.PID], u.io, t.at.Mono)
		}
	}
}

// measureIO computes the rates since the previous listing, or repeats the last rates if that listing was only a moment
// ago.
func (lp *process) measureIO(old *process, io *proc.IO, now time.Duration) {
	same := old != nil && old.key() == lp.key() && old.io != nil && io != nil
	if same && now-old.ioSince < host.MinWindow {
		lp.io, lp.ioSince = old.io, old.ioSince
		return
	}
	lp.io, lp.ioSince, lp.IORead, lp.IOWrite = io, now, nil, nil
	if same && io.ReadChars >= old.io.ReadChars && io.WrittenChars >= old.io.WrittenChars {
		seconds := (now - old.ioSince).Seconds()
		lp.IORead = new(uint64(float64(io.ReadChars-old.io.ReadChars) / seconds))
		lp.IOWrite = new(uint64(float64(io.WrittenChars-old.io.WrittenChars) / seconds))
	}
}
