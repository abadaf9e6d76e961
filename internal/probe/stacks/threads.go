package stacks

import (
	"sort"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// maxTasks limits how many threads of a process are examined.
	maxTasks = 4096
	// maxWChan limits the name of a kernel function, in bytes.
	maxWChan = 64
)

// stacksBuilder is a ProcessStacks under construction.
type stacksBuilder struct {
	wire.ProcessStacks
	process proc.Process
	loose   []wire.ThreadStack // threads whose numbers are not known
}

// listThreads reads what the kernel says about each thread, without the locks of the process. After until it leaves out
// all threads but the first, the main thread.
func (l *stacksBuilder) listThreads(until time.Time) []wire.ThreadStack {
	tids := l.process.Threads()
	list := make([]wire.ThreadStack, 0, min(len(tids), maxTasks))
	for i, tid := range tids {
		if i == maxTasks || i > 0 && time.Now().After(until) {
			l.MoreThreads = len(tids) - i
			break
		}
		task := l.process.Thread(tid)
		stat, err := task.Stat()
		if err != nil {
			continue // it has ended
		}
		t := wire.ThreadStack{TID: tid, Main: tid == l.PID, Name: strings.ToValidUTF8(stat.Comm, "?"),
			State: stat.State, CPUTicks: new(stat.Ticks()), WChan: waitChannel(task)}
		if status, err := task.Status(); err == nil {
			t.Switches = new(status.Voluntary)
		}
		list = append(list, t)
	}
	return list
}

// waitChannel returns the kernel function in which a thread waits; empty if the kernel does not say.
func waitChannel(task proc.Process) string {
	var name [maxWChan]byte
	n, err := proc.Read(string(task)+"/wchan", name[:])
	if err != nil || string(name[:n]) == "0" {
		return ""
	}
	return text.Cut(strings.ToValidUTF8(string(name[:n]), "?"), maxWChan)
}

// orderThreads sorts the threads, and leaves out those that say least.
func (l *stacksBuilder) orderThreads(all []wire.ThreadStack) {
	rank := func(t *wire.ThreadStack) int {
		switch {
		case t.Main:
			return 0
		case len(t.Frames) > 0:
			return 1
		case t.State == "D":
			return 2
		case t.State == "R":
			return 3
		}
		return 4
	}
	all = append(all, l.loose...)
	sort.SliceStable(all, func(i, k int) bool {
		a, b := rank(&all[i]), rank(&all[k])
		return a < b || a == b && all[i].TID < all[k].TID
	})
	kept := all[:min(len(all), wire.MaxStackThreads)]
	l.MoreThreads += len(all) - len(kept)
	l.Threads = kept
}
