// Package stacks says where processes of the user are: their threads, the Python stack of each, and the files that
// threads in state D wait for. It reads only on request, and never stops or changes a process.
//
// The memory of a process is read only if the process belongs to the user who runs the probe, even if that user is
// root. Reads that may hang run on goroutines of their own, and nothing waits long for them. If one hangs, the process
// has a refusal in place of stacks, and what the kernel says without taking its locks.
package stacks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// within is the time for one request: the probe gives up a request after 5 s.
	within = 3 * time.Second
	// patience is the time for one process. A stack takes less than a millisecond.
	patience = 500 * time.Millisecond
	// maxHung is how many reads may be hanging; with that many, no new one begins.
	maxHung = 8
	// maxFound is how large the stacks may grow, in bytes of JSON, before no further process is read: it is more than
	// is sent.
	maxFound = 4 * wire.MaxStacks
	// maxScan limits how many processes are searched for descendants.
	maxScan = 1 << 15
)

// Reader reads stacks. Its methods may be called from any goroutine.
type Reader struct {
	mount string // of procfs
	uid   int
	hung  atomic.Int32
}

// New returns a Reader of the procfs at mount.
func New(mount string) *Reader { return &Reader{mount: mount, uid: os.Getuid()} }

// Addresses returns those at which other nodes reach this one. It looks up no names.
func (r *Reader) Addresses() []string {
	return proc.InterfaceAddresses(proc.Process(filepath.Join(r.mount, "self")), wire.MaxAddresses)
}

// Read says where processes and their descendants are. truncated means that processes were left out.
func (r *Reader) Read(of wire.Stacks) (list []wire.ProcessStacks, truncated bool, err error) {
	if len(of.Processes) == 0 || len(of.Processes) > wire.MaxStackTargets {
		return nil, false, fmt.Errorf("stacks need 1 to %d processes, not %d", wire.MaxStackTargets, len(of.Processes))
	}
	for _, id := range of.Processes {
		if id.StartTicks == 0 {
			return nil, false, fmt.Errorf("the request has no start time for pid %d: it could be another process by "+
				"now", id.PID)
		}
	}
	var looks map[int]*wire.StackLooks
	if of.OverMS > 0 {
		looks = r.followThreads(of.Processes, of.Over())
	}
	until := time.Now().Add(within)
	targets := r.listTargets(of.Processes)
	if len(targets) > wire.MaxStackProcesses {
		targets, truncated = targets[:wire.MaxStackProcesses], true
	}
	room := maxFound
	for i := range targets {
		if room < 0 {
			truncated = true
			break
		}
		p := r.readProcess(&targets[i], until)
		if p.Of == 0 {
			p.Looks = looks[p.PID]
		}
		list = append(list, p)
		room -= encodedSize(list[i:])
	}
	r.addEnds(list, until)
	dropShared(list)
	list, cut := shortenStacks(list)
	return list, truncated || cut, nil
}

// target is a process that is to be read.
type target struct {
	wire.ProcessID
	of int // the requested process that it descends from; 0: it was requested
}

// listTargets returns the requested processes, each followed by its descendants of the same user.
func (r *Reader) listTargets(ids []wire.ProcessID) (list []target) {
	children := map[int][]proc.Stat{}
	pids := proc.All(r.mount)
	for _, pid := range pids[:min(len(pids), maxScan)] {
		if stat, err := proc.Of(r.mount, pid).Stat(); err == nil && !stat.Dead() {
			children[stat.Parent] = append(children[stat.Parent], stat)
		}
	}
	seen := map[int]bool{}
	for _, id := range ids {
		seen[id.PID] = true
	}
	for _, id := range ids {
		list = append(list, target{ProcessID: id})
		for generation := []int{id.PID}; len(generation) > 0; {
			pid := generation[0]
			generation = generation[1:]
			sort.Slice(children[pid], func(i, k int) bool { return children[pid][i].PID < children[pid][k].PID })
			for _, child := range children[pid] {
				if seen[child.PID] || !r.isOwn(child.PID) {
					continue
				}
				seen[child.PID] = true
				list = append(list, target{wire.ProcessID{PID: child.PID, StartTicks: child.Start}, id.PID})
				generation = append(generation, child.PID)
			}
		}
	}
	return list
}

// isOwn reports whether a process belongs to the user.
func (r *Reader) isOwn(pid int) bool {
	status, err := proc.Of(r.mount, pid).Status()
	return err == nil && status.UIDs[0] == r.uid
}

// readProcess finds out where a process is.
func (r *Reader) readProcess(t *target, until time.Time) wire.ProcessStacks {
	l := &stacksBuilder{ProcessStacks: wire.ProcessStacks{ProcessID: t.ProcessID, Of: t.of},
		process: proc.Of(r.mount, t.PID)}
	l.Refusal = r.checkProcess(l)
	if l.Refusal != nil {
		return l.ProcessStacks
	}
	all := l.listThreads(until)
	if io, err := l.process.IO(); err == nil {
		l.IOBytes = new(io.ReadChars + io.WrittenChars + io.ReadBytes + io.WrittenBytes)
	}
	late := newRefusal(wire.RefusedTime, "there was no time for it", "")
	if r.hung.Load() >= maxHung {
		late.Cause = "too many earlier reads hang on the node"
	} else if until = earlierTime(until, time.Now().Add(patience)); time.Now().Before(until) {
		late.Cause = "its memory does not answer"
		if l.readMemory(r, t, all, until) {
			late = nil
		}
	}
	if late != nil {
		l.Refusal = late
	}
	l.orderThreads(all)
	if again := r.checkProcess(l); again != nil { // another process may have its PID by now
		return wire.ProcessStacks{ProcessID: t.ProcessID, Of: t.of, Refusal: again}
	}
	if l.Refusal != nil && l.Refusal.ID == wire.RefusedGone { // it exits: its memory goes first
		l.Threads, l.MoreThreads = nil, 0
	}
	return l.ProcessStacks
}

// readMemory adds to the threads what may hang: what they wait for, and their Python stacks. It returns false if the
// memory of the process does not answer.
func (l *stacksBuilder) readMemory(r *Reader, t *target, all []wire.ThreadStack, until time.Time) (answers bool) {
	seen := slices.Clone(all) // for reads that may go on after they were given up
	waits := r.callAside(until, func() any { return l.findWaits(seen) })
	if waits != nil {
		l.addWaits(all, waits.(map[int]*wire.FileWait))
	}
	found := r.callAside(until, func() any { return r.readPython(t, l.process, seen, until) })
	if found != nil {
		l.addPython(all, found.(*pythonStacks))
	}
	tids := waitingThreads(all)
	if waits == nil { // the next read of the same files would hang too
		return found != nil
	}
	if calls := r.callAside(until, func() any { return l.findCalls(tids) }); calls != nil {
		l.addCalls(all, calls.(map[int]*wire.SystemCall))
	}
	return found != nil
}

func earlierTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// callAside calls a function that may never return, on another goroutine. It returns nil if that takes too long, or if
// too many calls have not returned.
func (r *Reader) callAside(until time.Time, do func() any) any {
	if r.hung.Add(1) > maxHung {
		r.hung.Add(-1)
		return nil
	}
	found := make(chan any, 1)
	go func() {
		defer r.hung.Add(-1)
		found <- do()
	}()
	late := time.NewTimer(time.Until(until) + patience) // by then what it reads ends by itself
	defer late.Stop()
	select {
	case v := <-found:
		return v
	case <-late.C:
		return nil
	}
}

// checkProcess checks that the process is the requested one and belongs to the user, and fills in what the kernel says
// about it.
func (r *Reader) checkProcess(l *stacksBuilder) *wire.Refusal {
	gone := newRefusal(wire.RefusedGone, "the process has exited", "")
	if l.PID <= 0 {
		return gone
	}
	stat, err := l.process.Stat()
	if errors.Is(err, os.ErrNotExist) && r.processExists(l.PID) {
		return newRefusal(wire.RefusedHidden, "/proc does not show the process",
			"an administrator can mount /proc without hidepid, or with gid= of a group of the user")
	}
	if err != nil || stat.Start != l.StartTicks || stat.Dead() {
		return gone
	}
	l.Parent, l.Name, l.State = stat.Parent, strings.ToValidUTF8(stat.Comm, "?"), stat.State
	status, err := l.process.Status()
	if err != nil {
		return gone
	}
	for _, uid := range status.UIDs {
		if uid != r.uid {
			return newRefusal(wire.RefusedUser, fmt.Sprintf("the process belongs to uid %d", status.UIDs[0]), "")
		}
	}
	return nil
}

func newRefusal(id, cause, hint string) *wire.Refusal {
	return &wire.Refusal{ID: id, Cause: text.Cut(strings.ToValidUTF8(cause, "?"), wire.MaxPath), Hint: hint}
}

// shortenStacks shortens stacks until the reply is not too long: first deep stacks, then threads without frames.
func shortenStacks(list []wire.ProcessStacks) (kept []wire.ProcessStacks, cut bool) {
	for most := wire.MaxStackFrames; most > 8; most /= 2 {
		if encodedSize(list) <= wire.MaxStacks {
			return list, cut
		}
		for i := range list {
			for k := range list[i].Threads {
				if t := &list[i].Threads[k]; len(t.Frames) > most/2 {
					t.Frames, t.Deeper = t.Frames[:most/2], true
				}
			}
		}
	}
	for most := wire.MaxStackThreads; encodedSize(list) > wire.MaxStacks && len(list) > 0; most /= 2 {
		if most == 0 {
			list, cut = list[:len(list)/2], true
			continue
		}
		for i := range list {
			if p := &list[i]; len(p.Threads) > most {
				p.MoreThreads += len(p.Threads) - most
				p.Threads = p.Threads[:most]
			}
		}
	}
	return list, cut
}

func encodedSize(list []wire.ProcessStacks) (n int) {
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return wire.MaxLine
		}
		n += len(line) + 1
	}
	return n
}
