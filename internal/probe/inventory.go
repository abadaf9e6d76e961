package probe

import (
	"errors"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inventory is the state of NVML: whether it works, and its GPUs.
type inventory struct {
	lib     Library
	up      bool // Init succeeded and Shutdown was not called since
	spent   bool // Shutdown must come before the next Init: the driver went away
	was     bool // it was up at some time
	partial bool // a static value could not be read
	gpus    []*gpu
	hello   wire.Hello // only the fields that come from NVML

	busy []*gpu // while the next inventory is being taken: the GPUs that it leaves alone, since a reading of them is running
}

// incomplete reports whether another try may find more.
func (n *inventory) incomplete() bool {
	return !n.up || n.spent || n.partial || slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.Lost != "" })
}

// outdated reports whether the driver was replaced by another version while the probe ran. The new library is on disk, but the dynamic
// linker never unloads the old one: only a new process loads it.
func (n *inventory) outdated() bool {
	return n.was && n.hello.FaultID == wire.FaultMismatch
}

// allLost reports whether NVML listed GPUs and none of them works.
func (n *inventory) allLost() bool {
	lost := func(g *gpu) bool { return g.Device == nil || KindOf(g.last.err) == Lost }
	return len(n.gpus) > 0 && !slices.ContainsFunc(n.gpus, func(g *gpu) bool { return !lost(g) })
}

// taken returns a new inventory: it initializes NVML if necessary, or again with reopen, and lists the GPUs. It may never return. It
// changes nothing in the old inventory, so that the sampler can read its GPUs meanwhile, except with reopen.
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
		if words := stillStuck(proc); words != "" {
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

// list makes GPUs of slots.
func (n *inventory) list(slots []Slot) {
	before := *n
	n.partial, n.gpus = false, nil
	n.hello = wire.Hello{GPUs: make([]wire.Card, 0, len(slots)), Missing: n.lib.Missing()}
	n.hello.Driver, n.hello.CUDA = n.lib.Versions()
	for _, slot := range slots {
		g := n.add(&before, slot)
		for _, part := range before.parts(slot, g) {
			n.add(&before, part)
		}
	}
	for i := range n.hello.GPUs {
		n.recognize(&n.hello.GPUs[i], before.hello.GPUs)
	}
}

// add adds the GPU or the instance of a slot.
func (n *inventory) add(before *inventory, slot Slot) *gpu {
	g, card, whole := before.describe(slot)
	n.partial = n.partial || !whole
	n.gpus, n.hello.GPUs = append(n.gpus, g), append(n.hello.GPUs, card)
	return g
}

// parts lists the instances of a GPU. One that is busy has those that it had.
func (n *inventory) parts(slot Slot, g *gpu) (parts []Slot) {
	switch {
	case slot.Parts == nil:
	case !slices.Contains(n.busy, g):
		return slot.Parts()
	default:
		for _, i := range n.instancesOf(g) {
			parts = append(parts, n.gpus[i].Slot)
		}
	}
	return parts
}

// instancesOf returns the places of the instances of a GPU.
func (n *inventory) instancesOf(g *gpu) (at []int) {
	parent := slices.Index(n.gpus, g)
	for i, c := range n.hello.GPUs {
		if c.Instance != nil && parent >= 0 && c.Instance.Parent == n.hello.GPUs[parent].UUID {
			at = append(at, i)
		}
	}
	return at
}

// divide tells each GPU which instances are listed beside it.
func (n *inventory) divide() (divided bool) {
	for i, g := range n.gpus {
		if n.hello.GPUs[i].Instance != nil {
			continue
		}
		divided = divided || n.hello.GPUs[i].MIG
		var hides []InstanceID
		for _, at := range n.instancesOf(g) {
			id := n.hello.GPUs[at].Instance
			hides = append(hides, InstanceID{id.GPU, id.Compute})
		}
		if g.hides.Store(nil); hides != nil {
			g.hides.Store(&hides)
		}
	}
	return divided
}

// describe makes a GPU of a slot and reads its card. One that is busy stays as it was: a call for its card would be slow, or hang too.
func (n *inventory) describe(slot Slot) (g *gpu, card wire.Card, whole bool) {
	for i, g := range n.gpus {
		if g.Index == slot.Index && slices.Contains(n.busy, g) {
			return g, n.hello.GPUs[i], !n.partial
		}
	}
	g = &gpu{Slot: slot}
	card, whole = g.card()
	return g, card, whole
}

// recognize fills in the identity of a lost GPU, which cannot be read: that of the GPU with the same index before, unless that GPU is
// listed elsewhere now.
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

// keep adopts the GPUs of the inventory before, with their readings, as far as they have not changed. A busy one is always kept, so that
// there is never a second reading of it. If it was lost, or is now, it is still what it was, until the next inventory.
func (n *inventory) keep(before *inventory, busy []*gpu) {
	for i := range n.gpus {
		card := &n.hello.GPUs[i]
		at := slices.IndexFunc(before.hello.GPUs, func(c wire.Card) bool { return c.Index == card.Index })
		if at < 0 {
			continue
		}
		was, g := &before.hello.GPUs[at], before.gpus[at]
		well := card.UUID == was.UUID && card.Lost == "" && was.Lost == ""
		switch {
		case slices.Contains(busy, g):
			n.gpus[i] = g
			if !well {
				*card = *was
			}
		case well && g.last.err == nil:
			n.gpus[i] = g
		}
	}
}

// card returns the static values. A value that cannot be read is absent; the card is not whole then, and will be read again.
func (g *gpu) card() (card wire.Card, whole bool) {
	if g.Device == nil {
		return wire.Card{Index: g.Index, Lost: g.Lost, LostID: g.LostID}, true
	}
	card, whole = g.Device.Card(), true
	card.Index = g.Index
	if card.Lost != "" {
		return card, true
	}
	values, err := g.readAll(metric.Once, metric.Values{}, func(string, error) { whole = false })
	card.Values = values
	if KindOf(err) == Lost {
		card.Lost, card.LostID = err.Error(), lostID(err)
	}
	return card, whole && err == nil
}

// drop forgets a driver that went away.
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
