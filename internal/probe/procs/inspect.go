package procs

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/probe/clock"
	"github.com/nvnodetop/nvnodetop/internal/probe/launch"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Inspector answers questions about one process.
type Inspector struct {
	mount string
	proc  procfs.FS
	jobs  *launch.Jobs
	now   func() clock.Moment
}

// NewInspector returns an Inspector of the procfs at mount.
func NewInspector(mount string, now func() clock.Moment) *Inspector {
	proc, err := procfs.NewFS(mount)
	if err != nil {
		proc = procfs.FS{} // every process is unknown
	}
	return &Inspector{mount, proc, launch.NewJobs(mount), now}
}

// process returns the process with this id, but never another process that has reused the PID.
func (in *Inspector) process(id wire.ProcessID) (procfs.Proc, procfs.ProcStat, error) {
	if id.PID <= 0 {
		return procfs.Proc{}, procfs.ProcStat{}, fmt.Errorf("invalid pid %d", id.PID)
	}
	proc, err := in.proc.Proc(id.PID)
	if err != nil {
		return proc, procfs.ProcStat{}, fmt.Errorf("no process %d", id.PID)
	}
	if id.StartTicks == 0 {
		return proc, procfs.ProcStat{}, fmt.Errorf("pid %d was not in /proc of the node: it cannot be told from "+
			"another process", id.PID)
	}
	stat, err := proc.Stat()
	switch {
	case err != nil:
		return proc, stat, fmt.Errorf("process %d has exited", id.PID)
	case stat.Starttime != id.StartTicks:
		return proc, stat, fmt.Errorf("pid %d has been reused", id.PID)
	}
	return proc, stat, nil
}

// Environ reads the environment of a process of the same user. The environment of other users' processes is private,
// even for root. The id is checked again afterwards, since the PID may have been reused meanwhile.
func (in *Inspector) Environ(id wire.ProcessID) (*wire.Environ, error) {
	proc, _, err := in.process(id)
	if err != nil {
		return nil, err
	}
	status, err := proc.NewStatus()
	if err != nil {
		return nil, fmt.Errorf("process %d has exited", id.PID)
	}
	if uid := int(status.UIDs[0]); uid != os.Getuid() {
		return nil, fmt.Errorf("process %d belongs to %s: you can only read the environment of your own processes",
			id.PID, UserName(uid))
	}
	variables, err := proc.Environ()
	if err != nil {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", id.PID, err)
	}
	if _, _, err := in.process(id); err != nil {
		return nil, err
	}
	e := &wire.Environ{}
	e.Variables, e.Truncated = capped(variables, wire.MaxEnviron)
	return e, nil
}

// capped returns the beginning of list that has at most wire.MaxStrings elements and takes at most limit bytes of JSON.
func capped(list []string, limit int) (kept []string, more bool) {
	kept = []string{}
	for _, s := range list {
		quoted, err := json.Marshal(s)
		if limit -= len(quoted) + 1; err != nil || limit < 0 || len(kept) == wire.MaxStrings {
			return kept, true
		}
		kept = append(kept, s)
	}
	return kept, false
}

// Details reads the properties of a process.
func (in *Inspector) Details(id wire.ProcessID) (*wire.Details, error) {
	proc, stat, err := in.process(id)
	if err != nil {
		return nil, err
	}
	who := identify(in.proc, in.jobs, id.PID)
	d := &wire.Details{
		ProcessID: id, Parent: stat.PPID, State: stat.State, Threads: stat.NumThreads,
		Name: stat.Comm, UID: who.uid, Job: who.Job, ElapsedSec: Elapsed(in.now(), stat.Starttime),
	}
	if who.uid != nil {
		d.User = UserName(*who.uid)
	}
	if args, err := proc.CmdLine(); err == nil {
		d.Arguments, d.Truncated = capped(args, wire.MaxArguments)
	}
	if groups, err := proc.Cgroups(); err == nil && len(groups) > 0 {
		d.Cgroup = groups[0].Path
	}
	// Both are empty if they cannot be read.
	d.Executable, _ = proc.Executable()
	d.Directory, _ = proc.Cwd()
	_, _, err = in.process(id)
	return d, err
}
