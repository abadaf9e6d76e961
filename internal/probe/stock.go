package probe

import (
	"reflect"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// retryEvery is how often the probe tries a driver that does not work, or a GPU that is lost, again.
	retryEvery = 10 * time.Second
	// reopenEvery is how often NVML is initialized again while all GPUs are lost. That may take seconds.
	reopenEvery = time.Minute
	// driverPatience is how long the driver may take to list its GPUs before the Hello says that it hangs. The reader of the Hello waits 30 s.
	driverPatience = 20 * time.Second
)

// driverSilent is the error message for a driver that hangs.
const driverSilent = "the driver does not respond"

// retryLater plans to take the inventory again.
func (s *sampler) retryLater() {
	if !s.retrying && !s.taking {
		s.retrying = true
		s.retry.Reset(retryEvery)
	}
}

// takeStock starts to take the inventory, while reports continue. If all GPUs are lost it initializes NVML again. While a reading or the
// lookout is running it does not initialize NVML, and does not ask for the card of that GPU. A card that takes long is adopted when it comes.
func (s *sampler) takeStock() {
	now := s.opts.Now().Mono
	opens := !s.cards.up || s.cards.spent
	idle := s.crew.idle()
	if opens && !idle {
		s.retryLater()
		return
	}
	reopen := idle && s.cards.allLost() && now-s.reopened >= reopenEvery
	if (opens || reopen) && s.lookout.Running() { // it calls into the driver; it ends before the retry
		s.reopenDue = true
		s.lookout.End()
		return
	}
	if reopen || !s.cards.up {
		s.reopened = now
	}
	s.taking, s.void, s.reopening = true, false, reopen
	s.stockLate.Reset(driverPatience)
	old := s.cards
	old.busy = s.crew.busy(old.gpus)
	go func() { s.stocked <- old.taken(reopen, s.opts.Proc) }()
}

// settle adopts an inventory and announces it if it changed. As long as something is missing it will be taken again.
func (s *sampler) settle(next inventory) error {
	reopened := s.reopening
	s.taking, s.reopening = false, false
	s.stockLate.Stop()
	if s.void {
		s.retryLater()
		return nil
	}
	if next.busy = nil; !reopened {
		next.keep(&s.cards, s.crew.busy(s.cards.gpus))
	}
	next.adopt()
	old := s.cards.hello
	s.cards = next
	if s.cards.outdated() {
		return ErrOutdated
	}
	s.examine()
	switch divided := s.cards.divide(); {
	case s.cards.incomplete():
		s.retryLater()
	case divided && !s.retrying: // instances come and go
		s.retry.Reset(slowEvery)
	}
	s.watch()
	if reflect.DeepEqual(old, s.cards.hello) {
		return nil
	}
	return s.announce()
}

// blind announces that the driver hangs while it lists its GPUs, unless they are already known and can be read.
func (s *sampler) blind() error {
	if len(s.cards.gpus) > 0 && !s.reopening {
		return nil
	}
	s.cards.gpus = nil
	s.cards.hello = wire.Hello{GPUs: []wire.Card{}, Fault: driverSilent, FaultID: wire.FaultHangs}
	return s.announce()
}

// announce sends a Hello, and a report right after it, since the one before it is out of date.
func (s *sampler) announce() error {
	if err := s.hello(); err != nil || s.pace == nil {
		return err
	}
	return s.report(true)
}
