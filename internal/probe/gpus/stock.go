package gpus

import (
	"errors"
	"reflect"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// RetryEvery is how often the probe tries a driver that does not work, or a GPU that is lost, again.
	RetryEvery = 10 * time.Second
	// ReopenEvery is how often NVML is initialized again while all GPUs are lost. That may take seconds.
	ReopenEvery = time.Minute
	// DriverPatience is how long the driver may take to list its GPUs before the Hello says that it hangs. The reader
	// of the Hello waits 30 s.
	DriverPatience = 20 * time.Second
)

// Silent is the error message for a driver that hangs.
const Silent = "the driver does not respond"

// ErrOutdated says that the driver was replaced. Only a new process can load the new library.
var ErrOutdated = errors.New("the driver was replaced: restart the probe")

// retryLater plans to take the inventory again.
func (s *Stock) retryLater() {
	if !s.retrying && !s.taking {
		s.retrying = true
		s.retry.Reset(RetryEvery)
	}
}

// take starts to take the inventory, while reports continue. If all GPUs are lost it initializes NVML again. While a
// reading or the lookout is running it does not initialize NVML, and does not ask for the card of that GPU. A card that
// takes long is adopted when it comes.
func (s *Stock) take() {
	now := s.Now().Mono
	opens := !s.cards.up || s.cards.spent
	idle := s.crew.idle()
	if opens && !idle {
		s.retryLater()
		return
	}
	reopen := idle && s.cards.allLost() && now-s.reopened >= ReopenEvery
	if (opens || reopen) && s.Lookout.Running() { // it calls into the driver; it ends before the retry
		s.reopenDue = true
		s.Lookout.End()
		return
	}
	if reopen || !s.cards.up {
		s.reopened = now
	}
	s.taking, s.void, s.reopening = true, false, reopen
	s.late.Reset(DriverPatience)
	old := s.cards
	old.busy = s.crew.busy(old.gpus)
	go func() { s.Taken <- old.taken(reopen, s.Proc) }()
}

// Retake takes the inventory again.
func (s *Stock) Retake() {
	s.retrying = false
	s.take()
}

// Settle adopts an inventory, and reports whether it differs. As long as something is missing, the inventory will be
// taken again. The error is ErrOutdated.
func (s *Stock) Settle(next Inventory) (news bool, err error) {
	reopened := s.reopening
	s.taking, s.reopening = false, false
	s.late.Stop()
	if s.void {
		s.retryLater()
		return false, nil
	}
	if next.busy = nil; !reopened {
		next.keep(&s.cards, s.crew.busy(s.cards.gpus))
	}
	next.adopt()
	old := s.cards.hello
	s.cards = next
	if s.cards.outdated() {
		return false, ErrOutdated
	}
	s.examine()
	switch divided := s.cards.divide(); {
	case s.cards.incomplete():
		s.retryLater()
	case divided && !s.retrying: // instances come and go
		s.retry.Reset(slowEvery)
	}
	s.watch()
	return !reflect.DeepEqual(old, s.cards.hello), nil
}

// Blind reports the driver as hanging while it lists its GPUs, unless they are already known and can be read. It
// returns whether it did.
func (s *Stock) Blind() (news bool) {
	if len(s.cards.gpus) > 0 && !s.reopening {
		return false
	}
	s.cards.gpus = nil
	s.cards.hello = wire.Hello{GPUs: []wire.Card{}, Fault: Silent, FaultID: wire.FaultHangs}
	return true
}

// Complete adopts cards that have come late. It reports whether there are any.
func (s *Stock) Complete() (news bool) {
	if !s.cards.adopt() {
		return false
	}
	s.examine()
	s.watch()
	if s.cards.incomplete() {
		s.retryLater()
	}
	return true
}

// Drop forgets the GPUs of a driver that went away.
func (s *Stock) Drop(words string) {
	s.cards.drop(words)
	s.Lookout.End()
	s.void = true
	s.retryLater()
}
