package frames

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// descendantReason says which descendant a process waits for, and what that one does.
func (p WaitingProcess) descendantReason(t *wire.ThreadStack, n int) string {
	list := p.awaitedDescendants(t)
	busy := slices.DeleteFunc(slices.Clone(list), func(c *wire.ProcessStacks) bool { return isIdle(c) })
	switch {
	case len(list) == 0:
		return ""
	case len(busy) == 0 && len(list) == 1:
		return "waits for " + p.descendantName(list[0]) + ", which waits for work itself"
	case len(busy) == 0:
		return fmt.Sprintf("waits for its processes, but all %d of them wait for work", len(list))
	}
	// The one that tells most about its wait comes first.
	slices.SortStableFunc(busy, func(a, b *wire.ProcessStacks) int { return waitWeight(b) - waitWeight(a) })
	words := "waits for " + p.descendantName(busy[0])
	if len(busy) > 1 {
		words += fmt.Sprintf(", one of %d that do not wait for work", len(busy))
	}
	if doing := p.descendantProcess(busy[0]).descendantAction(n + 1); doing != "" {
		words += ", which " + doing
	}
	return words
}

// waitWeight is larger for a process that waits, and for one about which more is known.
func waitWeight(p *wire.ProcessStacks) (n int) {
	t := WaitingProcess{ProcessStacks: p}.mainThread()
	switch {
	case t == nil:
		return 0
	case t.State == "D":
		return 3
	case t.Call != nil && t.Call.File != "":
		return 2
	}
	return 1
}

// descendantProcess is a descendant with its own descendants.
func (p WaitingProcess) descendantProcess(c *wire.ProcessStacks) WaitingProcess {
	return WaitingProcess{ProcessStacks: c, Descendants: p.Descendants}
}

// descendantName names a descendant: "its DataLoader worker 1658 (python)".
func (p WaitingProcess) descendantName(c *wire.ProcessStacks) string {
	kind := "process"
	if t := (WaitingProcess{ProcessStacks: c}).mainThread(); t != nil && IsDataWorker(t.Frames) {
		kind = "DataLoader worker"
	}
	return fmt.Sprintf("its %s %d (%s)", kind, c.PID, c.Name)
}

// descendantAction says where a descendant is, and what it waits for.
func (p WaitingProcess) descendantAction(n int) string {
	t := p.mainThread()
	switch {
	case t == nil:
		return ""
	case p.State == "T":
		return "is stopped by a signal"
	case p.State == "t":
		return "is stopped by a debugger"
	case isStopped(p.State):
		return "has exited"
	}
	words, doing := "", p.chainReason(n)
	if at := Inside(t.Frames); len(at) > 0 {
		words = "is in " + Of(at).Place()
	}
	switch {
	case words == "" && doing == "" && t.State == "R":
		return "runs"
	case words == "" || doing == "":
		return words + doing
	}
	return words + ", where it " + doing
}

// awaitedDescendants returns the descendants that a thread waits for, according to its system call or its frames.
func (p WaitingProcess) awaitedDescendants(t *wire.ThreadStack) (list []*wire.ProcessStacks) {
	if c := t.Call; c != nil && c.Child != 0 {
		if list = p.selectDescendants(func(d *wire.ProcessStacks) bool { return d.PID == c.Child }); len(list) > 0 {
			return list
		}
	}
	children := p.selectDescendants(func(d *wire.ProcessStacks) bool { return d.Parent == p.PID })
	switch c := t.Call; {
	case WaitsForProcess(t.Frames):
		return slices.DeleteFunc(children, isHelper)
	case c != nil && len(c.Ends) > 0:
		return p.selectDescendants(func(d *wire.ProcessStacks) bool { return slices.Contains(c.Ends, d.PID) })
	case c != nil && c.Does == wire.CallChild && len(children) == 1:
		return children
	}
	return nil
}

func (p WaitingProcess) selectDescendants(wanted func(*wire.ProcessStacks) bool) (list []*wire.ProcessStacks) {
	for i := range p.Descendants {
		if d := &p.Descendants[i]; d.PID != p.PID && wanted(d) {
			list = append(list, d)
		}
	}
	return list
}

// isIdle reports whether a worker waits for work.
func isIdle(p *wire.ProcessStacks) bool {
	t := WaitingProcess{ProcessStacks: p}.mainThread()
	return t != nil && t.State != "R" && AwaitsWork(t.Frames)
}

// isHelper reports whether a process only serves Python itself, as the resource tracker does.
func isHelper(p *wire.ProcessStacks) bool {
	t := WaitingProcess{ProcessStacks: p}.mainThread()
	return t != nil && IsOfPython(t.Frames)
}
