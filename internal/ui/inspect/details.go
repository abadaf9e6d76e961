package inspect

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/action"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/inspection"
)

// details is everything that the kernel tells about a process.
var details = &kind{
	page: keys.OnDetails, leave: keys.LeaveDetails, title: "Details of", one: "fact", many: "facts",
	none: "The kernel tells nothing about the process.", refused: "The details",
	truncated: "The command line is cut off.",
	ask: func(id wire.ProcessID) wire.Request {
		return wire.Request{Inspect: &wire.Inspect{ProcessID: id}}
	},
	answers: func(r *wire.Request, id wire.ProcessID) bool {
		return r.Inspect != nil && r.Inspect.ProcessID == id
	},
	code: action.Table[*Sheet]{
		{Of: keys.FullMemory, Do: (*Sheet).walk}, {Of: keys.LeaveDetails, Do: action.Change((*Sheet).close)},
	},
	read: func(r *wire.Reply) (list []variable, truncated, sent bool) {
		if r.Inspected == nil {
			return nil, false, false
		}
		return detailsOf(r.Inspected), r.Inspected.Truncated, true
	},
}

// NewDetails asks for everything that the kernel tells about a process, without the memory in full.
func NewDetails(t tally.Target) (*Sheet, nav.Answer) { return newSheet(details, t) }

// walk asks for the memory in full, once at a time: the key repeats.
func (e *Sheet) walk(*part.Scene) nav.Answer {
	if e.walks {
		return nav.Taken
	}
	e.walks = true
	return e.ask(wire.Request{Inspect: &wire.Inspect{ProcessID: e.target.ProcessID, Memory: true}})
}

// factList is the facts of a sheet under construction.
type factList struct {
	*inspection.Process
	facts []variable
}

// detailsOf are the facts of an inspection, group by group. An absent fact has no line, or its reason.
func detailsOf(in *inspection.Process) []variable {
	l := &factList{Process: in}
	l.identity()
	l.cpu()
	l.memory()
	l.io()
	l.limits()
	l.threads()
	l.files()
	l.connections()
	l.maps()
	return l.facts
}

// add adds a fact, if its value is known. Its words may be of the node.
func (l *factList) add(name string, words ...string) {
	if value := strings.TrimSpace(strings.Join(words, "")); value != "" {
		l.facts = append(l.facts, variable{name: clean(name), value: clean(value), between: ": "})
	}
}

// lacks says why a group is absent. It reports whether it is.
func (l *factList) lacks(name, key string) bool {
	why, absent := l.Absent[key]
	if absent {
		l.add(name, "not known: ", why)
	}
	return absent
}

// rest is how many elements of a list the node has left out: ", 12 more are left out".
func (l *factList) rest(key string) string {
	if n := l.More[key]; n > 0 {
		return ", " + strconv.Itoa(n) + " more are left out"
	}
	return ""
}

func (l *factList) identity() {
	words := make([]string, len(l.Arguments))
	for i, arg := range l.Arguments {
		words[i] = clean(arg)
	}
	l.add("command", command(words...))
	l.add("terminal", l.Terminal)
	l.add("user IDs", ids(l.UIDs))
	l.add("group IDs", ids(l.GIDs))
}

// ids are the IDs of a user or a group: "1000", or all four if they differ.
func ids(all []int) string {
	if len(all) != 4 {
		return ""
	}
	real, effective, saved, files := all[0], all[1], all[2], all[3]
	text := strconv.Itoa(real)
	if effective != real || saved != real || files != real {
		text += ", effective " + strconv.Itoa(effective) + ", saved " + strconv.Itoa(saved) + ", of files " +
			strconv.Itoa(files)
	}
	return text
}

func (l *factList) cpu() {
	l.add("nice", whole(l.Nice), behind(", priority ", whole(l.Priority)), behind(", policy ", l.Policy))
	l.add("I/O priority", l.IOPriority)
	l.add("CPUs", behind("may run on ", l.CPUAffinity), behind(", ran last on ", whole(l.LastCPU)))
	l.add("CPU time", "user ", duration(l.UserSeconds), ", system ", duration(l.SystemSeconds),
		behind(", waited for disks ", duration(l.DiskWaitSeconds)))
	l.add("of children", behind("user ", duration(l.ChildrenUserSeconds)),
		behind(", system ", duration(l.ChildrenSystemSeconds)))
	l.add("switches", whole(l.VoluntarySwitches), " to wait, ", whole(l.InvoluntarySwitches),
		" for another (of its first thread)")
	l.add("page faults", whole(l.MajorFaults), " from a disk, ", whole(l.MinorFaults), " others")
}

func (l *factList) memory() {
	if m := l.Memory; m != nil {
		l.add("memory", "RSS ", size(m.RSS), ", of it shared ", size(m.Shared), ", most so far ", size(m.Peak))
		l.add("in swap", size(m.Swap), behind(", locked in memory ", size(m.Locked)))
		l.add("virtual", size(m.VMS), ", data ", size(m.Data), ", code ", size(m.Text))
	} else {
		l.lacks("memory", "memory")
	}
	switch m := l.Full; {
	case m != nil:
		l.add("memory in full", "USS ", size(m.USS), ", PSS ", size(m.PSS), ", in swap ", size(m.Swap))
	case !l.lacks("memory in full", "full_memory"):
		l.add("memory in full", keys.HintOf(keys.FullMemory).Key,
			" reads it (USS, PSS, by file): a large process may wait for a moment")
	}
}

func (l *factList) io() {
	if m := l.IO; m != nil {
		l.add("reads", size(m.Read), " in ", strconv.FormatUint(m.Reads, 10), " calls, of it from storage ",
			size(m.DiskRead))
		l.add("writes", size(m.Written), " in ", strconv.FormatUint(m.Writes, 10), " calls, of it to storage ",
			size(m.DiskWrites))
		return
	}
	l.lacks("reads, writes", "io")
}

func (l *factList) limits() {
	l.lacks("limits", "limits")
	for i := range l.Limits {
		m := &l.Limits[i]
		soft, hard := limit(m.Soft, m.Unit), limit(m.Hard, m.Unit)
		if soft != hard {
			soft += ", can be raised to " + hard
		}
		l.add(strings.ToLower(m.Name[:min(len(m.Name), 1)])+m.Name[min(len(m.Name), 1):], soft)
	}
}

func limit(of *uint64, unit string) string {
	switch {
	case of == nil:
		return "unlimited"
	case unit == "bytes" && *of >= 1<<20:
		return size(*of)
	}
	return strings.TrimSpace(whole(of) + " " + unit)
}

func (l *factList) threads() {
	if l.lacks("threads", "threads") {
		return
	}
	l.add("threads", strconv.Itoa(len(l.Threads)), ", most CPU time first", l.rest("threads"))
	for i := range l.Threads {
		t := &l.Threads[i]
		l.add("thread "+strconv.Itoa(t.ID), t.Name, "  ", t.State, "  user ", duration(&t.UserSeconds), "  system ",
			duration(&t.SystemSeconds), "  on CPU ", strconv.Itoa(t.LastCPU))
	}
}

func (l *factList) files() {
	f := l.Files
	if f == nil {
		l.lacks("open files", "descriptors")
		return
	}
	l.add("open files", part.Plural(f.Count, "descriptor", "descriptors"), ": ",
		part.Plural(len(f.Files), "file", "files"), ", ", part.Plural(f.Sockets, "socket", "sockets"), ", ",
		part.Plural(f.Pipes, "pipe", "pipes"), ", ", strconv.Itoa(f.Others), " others", l.rest("files"))
	for _, o := range f.Files {
		l.add("file "+strconv.Itoa(o.FD), o.Path, "  ", o.Mode, "  at ", strconv.FormatUint(o.Position, 10))
	}
}

func (l *factList) connections() {
	if l.lacks("connections", "connections") {
		return
	}
	l.add("connections", strconv.Itoa(len(l.Connections)), l.rest("connections"))
	for i := range l.Connections {
		c := &l.Connections[i]
		l.add(c.Protocol+" "+strconv.Itoa(c.FD), c.Local, behind(" → ", c.Remote), behind("  ", c.Status))
	}
}

func (l *factList) maps() {
	if l.Full == nil {
		return
	}
	l.add("memory by file", strconv.Itoa(len(l.Full.Maps)), ", largest RSS first", l.rest("maps"))
	for i := range l.Full.Maps {
		m := &l.Full.Maps[i]
		l.add(m.Path, "RSS ", size(m.RSS), "  PSS ", size(m.PSS), "  its own ", size(m.Private), "  in swap ",
			size(m.Swap), "  of ", size(m.Size), " in ", part.Plural(m.Areas, "area", "areas"))
	}
}

// size is an amount of memory with its unit.
func size(bytes uint64) string { return part.Bytes(float64(bytes)) }

// whole is a whole number, "" if unknown.
func whole[T int | uint64](v *T) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(int64(*v), 10)
}

// duration is a time in words, with hundredths below a minute.
func duration(seconds *float64) string {
	switch {
	case seconds == nil:
		return ""
	case *seconds < 60:
		return strconv.FormatFloat(*seconds, 'f', 2, 64) + "s"
	}
	return draw.JobTime(time.Duration(*seconds) * time.Second)
}
