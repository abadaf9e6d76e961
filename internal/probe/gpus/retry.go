package gpus

import (
	"errors"
	"reflect"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// RetryEvery is the time between two attempts at a driver that does not work, or at a lost GPU.
	RetryEvery = 10 * time.Second
	// ReopenEvery is the least time between two initializations of NVML. An initialization may take seconds.
	ReopenEvery = time.Minute
	// DriverPatience is how long the driver may take to list its GPUs before the Hello says that it hangs. nvnodetop
	// waits 30 s for the Hello.
	DriverPatience = 20 * time.Second
)

// Silent is the error message for a driver that does not respond.
const Silent = "the driver does not respond"

// ErrOutdated says that the driver was replaced. Only a new process can load the new library.
var ErrOutdated = errors.New("the driver was replaced: restart the probe")

// retryLater plans to take the inventory again.
func (s *Set) retryLater() {
	if !s.retrying && !s.taking {
		s.retrying = true
		s.retry.Reset(RetryEvery)
	}
}

// take starts the next inventory, while reports continue. If all GPUs are lost, or there are new ones, it initializes
// NVML again, unless a reading or the listener is running. It does not ask for the card of a GPU that is being read. A
// card that takes long is adopted later.
func (s *Set) take() {
	now := s.Now().Mono
	opens := !s.cards.up || s.cards.spent
	idle := s.pool.isIdle()
	if opens && !idle {
		s.retryLater()
		return
	}
	reopen := idle && now-s.reopened >= ReopenEvery && (s.cards.allLost() || s.newcomers.hasNewGPU(s.Proc))
	if (opens || reopen) && s.Listener.Running() { // the listener calls the driver; it ends before the retry
		s.reopenDue = true
		s.Listener.End()
		return
	}
	if reopen || opens {
		s.reopened, s.newcomers.known = now, ofKernel(s.Proc)
	}
	s.taking, s.void, s.reopening = true, false, reopen
	s.late.Reset(DriverPatience)
	old := s.cards
	old.busy = s.pool.busyGPUs(old.gpus)
	go func() { s.Taken <- old.makeInventory(reopen, s.Proc) }()
}

// Retake takes the inventory again.
func (s *Set) Retake() {
	s.retrying = false
	s.take()
}

// Settle adopts an inventory, and reports whether it differs from the last one. While an inventory lacks something, it
// is retried. The only error is ErrOutdated.
func (s *Set) Settle(next Inventory) (news bool, err error) {
	reopened := s.reopening
	s.taking, s.reopening = false, false
	s.late.Stop()
	if s.void {
		s.retryLater()
		return false, nil
	}
	if next.busy = nil; !reopened {
		next.keepUnchanged(&s.cards, s.pool.busyGPUs(s.cards.gpus))
	}
	next.adoptCards()
	old := s.cards.hello
	s.cards = next
	if s.cards.isOutdated() {
		return false, ErrOutdated
	}
	s.readNewGPUs()
	switch divided := s.cards.tellInstances(); {
	case s.cards.isIncomplete():
		s.retryLater()
	case divided && !s.retrying: // instances come and go
		s.retry.Reset(slowEvery)
	}
	s.watchXids()
	return !reflect.DeepEqual(old, s.cards.hello), nil
}

// Blind reports that the driver hangs while it lists its GPUs, unless they are already known and can be read. It
// returns whether it did.
func (s *Set) Blind() (news bool) {
	if len(s.cards.gpus) > 0 && !s.reopening {
		return false
	}
	s.cards.gpus = nil
	s.cards.hello = wire.Hello{GPUs: []wire.Card{}, Fault: Silent, FaultID: wire.FaultHangs}
	return true
}

// Complete adopts cards that have come late. It reports whether there are any.
func (s *Set) Complete() (news bool) {
	if !s.cards.adoptCards() {
		return false
	}
	s.readNewGPUs()
	s.watchXids()
	if s.cards.isIncomplete() {
		s.retryLater()
	}
	return true
}

// Drop forgets the GPUs of a driver that went away.
func (s *Set) Drop(words string) {
	s.cards.dropDriver(words)
	s.Listener.End()
	s.void = true
	s.retryLater()
}
