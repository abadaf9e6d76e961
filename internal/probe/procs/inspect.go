package procs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Inspector answers questions about one process.
type Inspector struct {
	mount string
	jobs  *proc.LaunchJobs
	now   func() sample.Moment
}

// NewInspector returns an Inspector of the procfs at mount.
func NewInspector(mount string, now func() sample.Moment) *Inspector {
	return &Inspector{mount, proc.NewLaunchJobs(mount), now}
}

// findProcess returns the process with this id, but never another process that has reused the PID.
func (in *Inspector) findProcess(id wire.ProcessID) (proc.Process, proc.Stat, error) {
	if id.PID <= 0 {
		return "", proc.Stat{}, fmt.Errorf("invalid pid %d", id.PID)
	}
	process := proc.Of(in.mount, id.PID)
	if _, err := os.Stat(string(process)); err != nil {
		return process, proc.Stat{}, fmt.Errorf("no process %d", id.PID)
	}
	if id.StartTicks == 0 {
		return process, proc.Stat{}, fmt.Errorf("pid %d was not in /proc of the node: it cannot be told from "+
			"another process", id.PID)
	}
	stat, err := process.Stat()
	switch {
	case err != nil:
		return process, stat, fmt.Errorf("process %d has exited", id.PID)
	case stat.Start != id.StartTicks:
		return process, stat, fmt.Errorf("pid %d has been reused", id.PID)
	}
	return process, stat, nil
}

// Environ reads the environment of a process of the same user. The environment of other users' processes is private,
// even for root. The id is checked again afterwards, since the PID may have been reused meanwhile.
func (in *Inspector) Environ(id wire.ProcessID) (*wire.Environ, error) {
	process, _, err := in.findProcess(id)
	if err != nil {
		return nil, err
	}
	status, err := process.Status()
	if err != nil {
		return nil, fmt.Errorf("process %d has exited", id.PID)
	}
	if uid := status.UIDs[0]; uid != os.Getuid() {
		return nil, fmt.Errorf("process %d belongs to %s: you can only read the environment of your own processes",
			id.PID, UserName(uid))
	}
	variables, err := readEnviron(process, id.PID)
	if err != nil {
		return nil, fmt.Errorf("cannot read the environment of process %d: %w", id.PID, err)
	}
	if _, _, err := in.findProcess(id); err != nil {
		return nil, err
	}
	e := &wire.Environ{}
	e.Variables, e.Truncated = capList(variables, wire.MaxEnviron)
	return e, nil
}

// environWithin is how long reading the memory of a process may take.
const environWithin = time.Second

// readEnviron reads the environment that the kernel shows. If the program has overwritten that, its C library has
// another copy in memory.
func readEnviron(process proc.Process, pid int) ([]string, error) {
	variables, err := process.Environ()
	if err != nil || !proc.IsOverwritten([]byte(strings.Join(variables, "\x00"))) && !process.TitleSpills() {
		return variables, err
	}
	stat, err := process.Stat()
	if err != nil {
		return nil, err
	}
	program, _ := process.Link("exe") // empty if it cannot be read
	program = strings.TrimSuffix(program, " (deleted)")
	areas, err := memory.Areas(string(process)+"/maps",
		func(file string) bool { return memory.NamesEnviron(file, program) })
	var text []byte
	if err == nil {
		text, err = memory.Open(pid, time.Now().Add(environWithin)).Environ(areas, program, stat.EnvironFrom,
			stat.EnvironTo)
	}
	if err != nil {
		return nil, fmt.Errorf("the program has overwritten it, as setproctitle does (SPT_NOENV=1 keeps it): %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), nil
}

// capList returns the beginning of list that has at most wire.MaxStrings elements and takes at most limit bytes of
// JSON.
func capList(list []string, limit int) (kept []string, more bool) {
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
	process, stat, err := in.findProcess(id)
	if err != nil {
		return nil, err
	}
	who := readIdentity(in.mount, in.jobs, id.PID)
	d := &wire.Details{
		ProcessID: id, Parent: stat.Parent, State: stat.State, Threads: stat.Threads,
		Name: stat.Comm, UID: who.uid, Job: who.Job, ElapsedSec: Elapsed(in.now(), stat.Start),
	}
	if who.uid != nil {
		d.User = UserName(*who.uid)
	}
	if args, err := process.Arguments(); err == nil {
		d.Arguments, d.Truncated = capList(args, wire.MaxArguments)
	}
	if groups := process.Cgroups(); len(groups) > 0 {
		d.Cgroup = groups[0]
	}
	// Both are empty if they cannot be read.
	d.Executable, _ = process.Link("exe")
	d.Directory, _ = process.Link("cwd")
	_, _, err = in.findProcess(id)
	return d, err
}
