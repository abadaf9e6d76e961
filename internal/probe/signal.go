package probe

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxSignal is the last real-time signal of Linux.
const maxSignal = 64

// Signal sends a signal to processes, or changes their schedule, and returns the result for each. With an error, the
// request was wrong and nothing was done.
func (d *processDesk) Signal(s wire.Signal) ([]wire.Signaled, error) {
	switch {
	case s.Schedule == nil && (s.Number < 1 || s.Number > maxSignal), s.Schedule != nil && s.Number != 0:
		return nil, fmt.Errorf("invalid signal %d", s.Number)
	case len(s.Processes) == 0 || len(s.Processes) > wire.MaxTargets:
		return nil, fmt.Errorf("a signal needs 1 to %d processes, not %d", wire.MaxTargets, len(s.Processes))
	}
	if s.Schedule != nil {
		if err := s.Schedule.Check(); err != nil {
			return nil, err
		}
	}
	for _, p := range s.Processes {
		if p.StartTicks == 0 {
			return nil, fmt.Errorf("the request has no start time for pid %d: it could be another process by now",
				p.PID)
		}
	}
	spared := map[int]bool{d.self: true}
	for _, p := range d.listAncestors(d.self) {
		spared[p.PID] = true
	}
	fates := make([]signalResult, len(s.Processes))
	done, tried := d.callEach(len(fates), func(i int) { fates[i] = d.signalProcess(s.Processes[i], &s, spared) })
	list := make([]wire.Signaled, len(fates))
	for i := range list {
		list[i] = wire.Signaled{PID: s.Processes[i].PID, Error: "not tried: the node did not answer in time",
			ErrorID: wire.SignalKernel}
		switch {
		case i < done:
			list[i].Error, list[i].ErrorID = fates[i].why, fates[i].id
		case !tried:
			list[i].Error = "not tried: too many earlier requests hang on the node"
		case i == done:
			list[i].Error, list[i].ErrorID = "the kernel does not respond: the signal may or may not be delivered",
				wire.SignalNoAnswer
		}
	}
	d.nameOwners(list, fates[:done])
	return list, nil
}

// signalResult is the result of a signal. The zero signalResult means that the signal was sent.
type signalResult struct {
	id, why string
	owner   int // of the process, if it belongs to another user
}

// signalProcess does what is asked to the process that has this PID and this start time.
func (d *processDesk) signalProcess(id wire.ProcessID, s *wire.Signal, spared map[int]bool) signalResult {
	if id.PID <= 1 || id.PID > math.MaxInt32 {
		return signalResult{id: wire.SignalDenied, why: fmt.Sprintf("pid %d is never signaled", id.PID)}
	}
	handle, err := d.hold(id.PID)
	held := err == nil
	if held {
		defer closeHandle(handle)
	}
	if wrong := d.checkSignal(id, d.signalOwner(s),
		spared); wrong.id != "" { // the pidfd holds the checked process, or an ended one
		return wrong
	}
	switch {
	case s.Schedule != nil:
		err = d.schedule(id.PID, s.Schedule)
	case held:
		err = d.send(handle, s.Number)
	default: // an old kernel, or a sandbox without pidfds
		err = d.kill(id.PID, s.Number)
	}
	switch {
	case err == nil:
		return signalResult{}
	case errors.Is(err, syscall.ESRCH):
		return processGone
	}
	return signalResult{id: wire.SignalKernel, why: whyRefused(err, s.Schedule)}
}

var processGone = signalResult{id: wire.SignalGone, why: "has exited"}

// signalOwner returns the user whose processes a signal may reach.
func (d *processDesk) signalOwner(s *wire.Signal) (uid int) {
	if s.Owner != nil && d.uid == 0 {
		return *s.Owner
	}
	return d.uid
}

// checkSignal returns the reason why a process must not be signaled; the zero fate means that it may be.
func (d *processDesk) checkSignal(id wire.ProcessID, owner int, spared map[int]bool) signalResult {
	stat, uid, exists := d.readStatus(id.PID)
	switch {
	case !exists:
		return processGone
	case stat.Start != id.StartTicks:
		return signalResult{id: wire.SignalReused, why: "has exited, and another process has this PID now"}
	case uid != owner:
		return signalResult{id: wire.SignalOtherUser, owner: uid}
	case spared[id.PID]:
		return signalResult{id: wire.SignalDenied, why: "nvnodetop's connection to this node runs under it"}
	case stat.Dead():
		return processGone
	}
	return signalResult{}
}

// nameOwners names the owners of other users' processes. All signals have been sent by now, so a user directory that
// does not answer does no harm.
func (d *processDesk) nameOwners(list []wire.Signaled, fates []signalResult) {
	var owners []int
	at := map[int]int{}
	for _, f := range fates {
		if _, known := at[f.owner]; f.id == wire.SignalOtherUser && !known {
			at[f.owner] = len(owners)
			owners = append(owners, f.owner)
		}
	}
	if len(owners) == 0 {
		return
	}
	names := make([]string, len(owners))
	done, _ := d.callEach(len(owners), func(i int) { names[i] = d.words.User(owners[i]) })
	for i, f := range fates {
		if f.id != wire.SignalOtherUser {
			continue
		}
		owner := fmt.Sprintf("uid %d", f.owner)
		if at[f.owner] < done {
			owner = names[at[f.owner]]
		}
		list[i].Error = "belongs to " + owner
	}
}
