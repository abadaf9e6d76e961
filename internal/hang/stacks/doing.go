package stacks

import (
	"cmp"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Doing puts into words what a process without Python frames does, such as "in futex_wait" or "stopped".
func Doing(p *wire.ProcessStacks) string {
	switch p.State {
	case "T":
		return "is stopped by a signal"
	case "t":
		return "is stopped by a debugger"
	case "Z", "X":
		return "has exited"
	}
	t := frames.MainThread(p)
	if t == nil {
		return "runs threads that are not known"
	}
	switch {
	case t.WaitsFor != nil:
		return "waits for " + fileOf(t.WaitsFor)
	case t.State == "R":
		return "runs"
	case t.WChan != "" && t.WChan != "0":
		return "waits in " + t.WChan
	case t.State == "D":
		return "waits in the kernel, and cannot be interrupted"
	}
	return "waits"
}

// fileOf names a file and its file system: "/lustre/set7/a.tar (lustre)".
func fileOf(w *wire.FileWait) string {
	name := cmp.Or(w.Path, w.Mount, w.Source, "a file")
	if w.FileSystem != "" {
		name += " (" + w.FileSystem + ")"
	}
	return name
}

// stackLine returns the stack of a group in one line.
func (g *Group) stackLine() frames.Line {
	shared := g.Frames()
	list := make([]wire.Frame, len(shared))
	for i := range shared {
		list[i] = shared[i].Frame
	}
	return frames.Of(list)
}

// Words says what the ranks of a group do, in one line.
func (g *Group) Words() string {
	p, line := g.firstRank().Process, g.stackLine().String()
	doing := strings.TrimPrefix(Doing(p), "is ")
	switch {
	case line == "":
		return doing
	case isHalted(p):
		return doing + ", in " + line
	}
	return line
}

// awaitsOthers reports whether the ranks of a group are in a place where ranks wait for other ranks.
func (g *Group) awaitsOthers() bool {
	at := g.firstRank().pythonFrames()
	return !g.Vague && !isHalted(g.firstRank().Process) && (frames.Collective(at) != "" || frames.AddsUp(at))
}

// pollsForOthers reports whether the ranks of a group wait for others to arrive, and poll meanwhile.
func (g *Group) pollsForOthers() bool { return !g.Vague && frames.Meets(g.firstRank().pythonFrames()) }
