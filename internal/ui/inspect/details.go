package inspect

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// details is everything that the kernel tells about a process.
var details = &sheetKind{
	page: keys.OnDetails, leave: keys.LeaveDetails, title: "Details of", one: "fact", many: "facts",
	none: "The kernel tells nothing about the process.", refused: "The details",
	truncated: "The command line is cut off.",
	ask: func(id wire.ProcessID) wire.Request {
		return wire.Request{Inspect: &wire.Inspect{ProcessID: id}}
	},
	answers: func(r *wire.Request, id wire.ProcessID) bool {
		return r.Inspect != nil && r.Inspect.ProcessID == id
	},
	code: nav.CodeTable[*FactSheet]{
		{Of: keys.FullMemory, Do: (*FactSheet).walk}, {Of: keys.LeaveDetails, Do: nav.ChangePage((*FactSheet).close)},
	},
	read: func(r *wire.Reply) (list []variable, truncated, sent bool) {
		if r.Inspected == nil {
			return nil, false, false
		}
		return detailsOf(r.Inspected), r.Inspected.Truncated, true
	},
}

// NewDetails asks for everything that the kernel tells about a process, without the memory in full.
func NewDetails(t tally.Target) (*FactSheet, nav.Answer) { return newSheet(details, t) }

// walk asks for the memory in full, one request at a time, because a held key repeats.
func (e *FactSheet) walk(*part.Scene) nav.Answer {
	if e.walks {
		return nav.Taken
	}
	e.walks = true
	return e.askNode(wire.Request{Inspect: &wire.Inspect{ProcessID: e.target.ProcessID, Memory: true}})
}

// factList is the facts of a sheet under construction.
type factList struct {
	*wire.InspectedProcess
	facts []variable
}

// detailsOf are the facts of an inspection, group by group. An absent fact has no line, or a line with the reason.
func detailsOf(in *wire.InspectedProcess) []variable {
	l := &factList{InspectedProcess: in}
	l.addIdentity()
	l.addCPU()
	l.addMemory()
	l.addIO()
	l.addLimits()
	l.addThreads()
	l.addFiles()
	l.addConnections()
	l.addMaps()
	return l.facts
}

// addFact adds a fact if its value is known. Its words may come from the node.
func (l *factList) addFact(name string, words ...string) {
	if value := strings.TrimSpace(strings.Join(words, "")); value != "" {
		l.facts = append(l.facts, variable{name: cleanText(name), value: cleanText(value), between: ": "})
	}
}

// lacksGroup reports whether a group is absent, and if so adds the reason.
func (l *factList) lacksGroup(name, key string) bool {
	why, absent := l.Absent[key]
	if absent {
		l.addFact(name, "not known: ", why)
	}
	return absent
}

// leftOutText says how many elements of a list the node has left out: ", 12 more are left out".
func (l *factList) leftOutText(key string) string {
	if n := l.More[key]; n > 0 {
		return ", " + strconv.Itoa(n) + " more are left out"
	}
	return ""
}

func (l *factList) addIdentity() {
	words := make([]string, len(l.Arguments))
	for i, arg := range l.Arguments {
		words[i] = cleanText(arg)
	}
	l.addFact("command", shellCommandLine(words...))
	l.addFact("terminal", l.Terminal)
	l.addFact("user IDs", idsText(l.UIDs))
	l.addFact("group IDs", idsText(l.GIDs))
}

// idsText is the IDs of a user or a group: "1000", or all four if they differ.
func idsText(all []int) string {
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

func (l *factList) addCPU() {
	l.addFact("nice", wholeText(l.Nice), withPrefix(", priority ", wholeText(l.Priority)),
		withPrefix(", policy ", l.Policy))
	l.addFact("I/O priority", l.IOPriority)
	l.addFact("CPUs", withPrefix("may run on ", l.CPUAffinity), withPrefix(", ran last on ", wholeText(l.LastCPU)))
	l.addFact("CPU time", "user ", durationText(l.UserSeconds), ", system ", durationText(l.SystemSeconds),
		withPrefix(", waited for disks ", durationText(l.DiskWaitSeconds)))
	l.addFact("of children", withPrefix("user ", durationText(l.ChildrenUserSeconds)),
		withPrefix(", system ", durationText(l.ChildrenSystemSeconds)))
	l.addFact("context switches", wholeText(l.VoluntarySwitches), " voluntary, ", wholeText(l.InvoluntarySwitches),
		" involuntary (of its first thread)")
	l.addFact("page faults", wholeText(l.MajorFaults), " from a disk, ", wholeText(l.MinorFaults), " others")
}

func (l *factList) addMemory() {
	if m := l.Memory; m != nil {
		l.addFact("memory", "RSS ", sizeText(m.RSS), ", shared ", sizeText(m.Shared), ", peak ",
			sizeText(m.Peak))
		l.addFact("in swap", sizeText(m.Swap), withPrefix(", locked in memory ", sizeText(m.Locked)))
		l.addFact("virtual", sizeText(m.VMS), ", data ", sizeText(m.Data), ", code ", sizeText(m.Text))
	} else {
		l.lacksGroup("memory", "memory")
	}
	switch m := l.Full; {
	case m != nil:
		l.addFact("memory in full", "USS ", sizeText(m.USS), ", PSS ", sizeText(m.PSS), ", in swap ", sizeText(m.Swap))
	case !l.lacksGroup("memory in full", "full_memory"):
		l.addFact("memory in full", keys.HintOf(keys.FullMemory).Key,
			" reads it (USS, PSS, by file): a large process may wait for a moment")
	}
}

func (l *factList) addIO() {
	if m := l.IO; m != nil {
		l.addFact("reads", sizeText(m.Read), " in ", strconv.FormatUint(m.Reads, 10), " calls, from storage ",
			sizeText(m.DiskRead))
		l.addFact("writes", sizeText(m.Written), " in ", strconv.FormatUint(m.Writes, 10), " calls, to storage ",
			sizeText(m.DiskWrites))
		return
	}
	l.lacksGroup("reads, writes", "io")
}

func (l *factList) addLimits() {
	l.lacksGroup("limits", "limits")
	for i := range l.Limits {
		m := &l.Limits[i]
		soft, hard := limitText(m.Soft, m.Unit), limitText(m.Hard, m.Unit)
		if soft != hard {
			soft += ", can be raised to " + hard
		}
		l.addFact(strings.ToLower(m.Name[:min(len(m.Name), 1)])+m.Name[min(len(m.Name), 1):], soft)
	}
}

func limitText(of *uint64, unit string) string {
	switch {
	case of == nil:
		return "unlimited"
	case unit == "bytes" && *of >= 1<<20:
		return sizeText(*of)
	}
	return strings.TrimSpace(wholeText(of) + " " + unit)
}

func (l *factList) addThreads() {
	if l.lacksGroup("threads", "threads") {
		return
	}
	l.addFact("threads", strconv.Itoa(len(l.Threads)), ", most CPU time first", l.leftOutText("threads"))
	for i := range l.Threads {
		t := &l.Threads[i]
		l.addFact("thread "+strconv.Itoa(t.ID), t.Name, "  ", t.State, "  user ", durationText(&t.UserSeconds), "  system ",
			durationText(&t.SystemSeconds), "  on CPU ", strconv.Itoa(t.LastCPU))
	}
}

func (l *factList) addFiles() {
	f := l.Files
	if f == nil {
		l.lacksGroup("open files", "descriptors")
		return
	}
	l.addFact("open files", part.Plural(f.Count, "descriptor", "descriptors"), ": ",
		part.Plural(len(f.Files), "file", "files"), ", ", part.Plural(f.Sockets, "socket", "sockets"), ", ",
		part.Plural(f.Pipes, "pipe", "pipes"), ", ", strconv.Itoa(f.Others), " others", l.leftOutText("files"))
	for _, o := range f.Files {
		l.addFact("file "+strconv.Itoa(o.FD), o.Path, "  ", o.Mode, "  at ", strconv.FormatUint(o.Position, 10))
	}
}

func (l *factList) addConnections() {
	if l.lacksGroup("connections", "connections") {
		return
	}
	l.addFact("connections", strconv.Itoa(len(l.Connections)), l.leftOutText("connections"))
	for i := range l.Connections {
		c := &l.Connections[i]
		l.addFact(c.Protocol+" "+strconv.Itoa(c.FD), c.Local, withPrefix(" → ", c.Remote), withPrefix("  ", c.Status))
	}
}

func (l *factList) addMaps() {
	if l.Full == nil {
		return
	}
	l.addFact("memory by file", strconv.Itoa(len(l.Full.Maps)), ", largest RSS first", l.leftOutText("maps"))
	for i := range l.Full.Maps {
		m := &l.Full.Maps[i]
		l.addFact(m.Path, "RSS ", sizeText(m.RSS), "  PSS ", sizeText(m.PSS), "  its own ", sizeText(m.Private), "  in swap ",
			sizeText(m.Swap), "  of ", sizeText(m.Size), " in ", part.Plural(m.Areas, "area", "areas"))
	}
}

// sizeText is an amount of memory with its unit.
func sizeText(bytes uint64) string { return part.Bytes(float64(bytes)) }

// wholeText is a whole number, "" if unknown.
func wholeText[T int | uint64](v *T) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(int64(*v), 10)
}

// durationText is a time in words, with hundredths below a minute.
func durationText(seconds *float64) string {
	switch {
	case seconds == nil:
		return ""
	case *seconds < 60:
		return strconv.FormatFloat(*seconds, 'f', 2, 64) + "s"
	}
	return draw.JobTime(time.Duration(*seconds) * time.Second)
}
