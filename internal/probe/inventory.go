package probe

import (
	"errors"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inventory is the state of NVML: whether it can be used, and the GPUs that it has.
type inventory struct {
	lib     Library
	up      bool // Init succeeded and Shutdown was not called since
	spent   bool // Shutdown must come before the next Init: the driver went away
	was     bool // up, some time
	partial bool // something that does not change could not be read
	gpus    []*gpu
	hello   wire.Hello // the part of it that NVML gives
}

// incomplete says that trying again may give more than there is.
func (n *inventory) incomplete() bool {
	return !n.up || n.spent || n.partial || slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.Lost != "" })
}

// outdated says that the driver was replaced by one of another version while the probe ran. The library that goes with it is on the
// disk, but the dynamic linker never lets go of the old one: only a new process loads it.
func (n *inventory) outdated() bool {
	return n.was && n.hello.FaultID == wire.FaultMismatch
}

// allLost says that NVML listed GPUs and that none of them can be used.
func (n *inventory) allLost() bool {
	lost := func(g *gpu) bool { return g.Device == nil || KindOf(g.last.err) == Lost }
	return len(n.gpus) > 0 && !slices.ContainsFunc(n.gpus, func(g *gpu) bool { return !lost(g) })
}

// taken is the inventory after another look: it attaches to the driver where it is not yet, or again with reopen, and lists the GPUs. It
// may never return. It changes nothing of what the sampler has, so that the GPUs of the old inventory may be read meanwhile, unless the
// driver is opened again.
func (n inventory) taken(reopen bool, proc string) inventory {
	if err := n.attach(reopen, proc); err != nil {
		n.fail(err)
	}
	return n
}

func (n *inventory) attach(reopen bool, proc string) error {
	if n.up && (n.spent || reopen) {
		n.lib.Shutdown()
		n.up, n.spent = false, false
	}
	if !n.up {
		if words := stuckProbe(proc); words != "" {
			return &InitError{ID: wire.FaultHangs, Words: words}
		}
		if err := n.lib.Init(); err != nil {
			return err
		}
		n.up, n.was = true, true
	}
	slots, err := n.lib.Devices()
	if err != nil {
		return err
	}
	n.list(slots)
	return nil
}

// list makes the GPUs of what NVML lists.
func (n *inventory) list(slots []Slot) {
	known := n.hello.GPUs
	n.partial, n.gpus = false, nil
	n.hello = wire.Hello{GPUs: make([]wire.Card, 0, len(slots)), Missing: n.lib.Missing()}
	n.hello.Driver, n.hello.CUDA = n.lib.Versions()
	for _, slot := range slots {
		g := &gpu{Slot: slot}
		card, whole := g.card()
		n.partial = n.partial || !whole
		n.gpus, n.hello.GPUs = append(n.gpus, g), append(n.hello.GPUs, card)
	}
	for i := range n.hello.GPUs {
		n.recognize(&n.hello.GPUs[i], known)
	}
}

// recognize fills in who a lost GPU is that cannot say it itself: the one that was listed at its place, unless that is elsewhere now.
func (n *inventory) recognize(card *wire.Card, known []wire.Card) {
	at := slices.IndexFunc(known, func(c wire.Card) bool { return c.Index == card.Index && c.UUID != "" })
	if card.Lost == "" || at < 0 {
		return
	}
	was := known[at]
	elsewhere := slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.UUID == was.UUID })
	if card.UUID == was.UUID || card.UUID == "" && !elsewhere {
		was.Lost, was.LostID = card.Lost, card.LostID
		*card = was
	}
}

// keep takes over from the inventory before the GPUs that are as they were, with what was read of them.
func (n *inventory) keep(before *inventory) {
	for i := range min(len(n.gpus), len(before.gpus)) {
		card, was, g := &n.hello.GPUs[i], &before.hello.GPUs[i], before.gpus[i]
		if card.Index == was.Index && card.UUID == was.UUID && card.Lost == "" && was.Lost == "" && g.last.err == nil {
			n.gpus[i] = g
		}
	}
}

// card is what does not change. A number that cannot be read is absent, and it is not whole then: it is tried again.
func (g *gpu) card() (card wire.Card, whole bool) {
	if g.Device == nil {
		return wire.Card{Index: g.Index, Lost: g.Lost, LostID: g.LostID}, true
	}
	card, whole = g.Device.Card(), true
	card.Index = g.Index
	if card.Lost != "" {
		return card, true
	}
	err := g.readAll(metric.Once, &card.Values, func(string, error) { whole = false })
	if KindOf(err) == Lost {
		card.Lost, card.LostID = err.Error(), lostID(err)
	}
	return card, whole && err == nil
}

// drop lets go of a driver that went away.
func (n *inventory) drop(words string) {
	n.fail(&InitError{ID: wire.FaultNoDriver, Words: words})
}

// fail forgets the GPUs. NVML counts Inits, and a second one succeeds without looking at the driver: a Shutdown comes before it.
func (n *inventory) fail(err error) {
	n.spent, n.gpus = n.up, nil
	n.hello = wire.Hello{GPUs: []wire.Card{}, Fault: err.Error(), FaultID: wire.FaultOther}
	if init, ok := errors.AsType[*InitError](err); ok {
		n.hello.FaultID = init.ID
	}
}

func (n *inventory) close() {
	if n.up {
		n.lib.Shutdown()
	}
	n.up, n.gpus = false, nil
}
