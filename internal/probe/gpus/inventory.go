package gpus

import (
	"errors"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Inventory is the state of NVML: whether it works, and its GPUs.
type Inventory struct {
	lib   driver.Library
	pool  *pool
	up    bool // Init succeeded, and Shutdown has not been called since
	spent bool // Shutdown must come before the next Init: the driver went away
	was   bool // Init succeeded at some time
	gpus  []*gpu
	hello wire.Hello // only the fields that come from NVML

	// The GPUs that the next inventory leaves alone while it is taken, since a reading of them is running.
	busy []*gpu
}

// isIncomplete reports whether another inventory may find more.
func (n *Inventory) isIncomplete() bool {
	return !n.up || n.spent || slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.Lost != "" }) ||
		slices.ContainsFunc(n.gpus, func(g *gpu) bool { return g.once.partial || g.once.pending })
}

// isOutdated reports whether the driver was replaced by another version while the probe ran. The new library is on
// disk, but the dynamic linker never unloads the old one: only a new process loads it.
func (n *Inventory) isOutdated() bool {
	return n.was && n.hello.FaultID == wire.FaultMismatch
}

// allLost reports whether NVML listed GPUs and none of them works.
func (n *Inventory) allLost() bool {
	lost := func(g *gpu) bool { return g.Device == nil || driver.KindOf(g.last.err) == driver.Lost }
	return len(n.gpus) > 0 && !slices.ContainsFunc(n.gpus, func(g *gpu) bool { return !lost(g) })
}

// makeInventory returns a new inventory: it initializes NVML if necessary, or again if reopen is set, and lists the
// GPUs. It may never return. Without reopen it changes nothing in the old inventory, so that the sampler can read the
// old GPUs meanwhile.
func (n Inventory) makeInventory(reopen bool, proc string) Inventory {
	if err := n.attachDriver(reopen, proc); err != nil {
		n.forgetGPUs(err)
	}
	return n
}

func (n *Inventory) attachDriver(reopen bool, proc string) error {
	if n.up && (n.spent || reopen) {
		n.lib.Shutdown()
		n.up, n.spent = false, false
	}
	if !n.up {
		if words := driver.StuckProbe(proc); words != "" {
			return &driver.InitError{ID: wire.FaultHangs, Words: words}
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
	n.makeGPUs(slots)
	return nil
}

// makeGPUs makes GPUs from slots and from their instances, and reads their cards.
func (n *Inventory) makeGPUs(slots []driver.Slot) {
	before, began, limit := *n, time.Now(), LongestWait
	if len(n.gpus) == 0 {
		limit = cardPatience
	}
	gpus := before.gpusOf(slots)
	n.readCards(before.unreadGPUs(gpus), limit)
	n.gpus = nil
	for _, g := range gpus {
		n.gpus = append(append(n.gpus, g), before.listInstances(g)...)
	}
	n.readCards(before.unreadGPUs(n.gpus), limit-time.Since(began))
	n.hello = wire.Hello{GPUs: make([]wire.Card, len(n.gpus)), Missing: n.lib.Missing()}
	n.hello.Driver, n.hello.CUDA = n.lib.Versions()
	for i := range n.gpus {
		n.fillCard(i, &before)
	}
	for i, g := range n.gpus {
		if !slices.Contains(before.gpus, g) {
			n.fillIdentity(i, before.hello.GPUs)
		}
	}
	n.addLost(before.hello.GPUs)
}

// gpusOf makes GPUs from slots. A busy GPU stays as it was: a call for its card would be slow, or hang too.
func (n *Inventory) gpusOf(slots []driver.Slot) []*gpu {
	gpus := make([]*gpu, 0, len(slots))
	for _, slot := range slots {
		at := slices.IndexFunc(n.busy, func(g *gpu) bool { return g.Index == slot.Index })
		if at >= 0 {
			gpus = append(gpus, n.busy[at])
		} else {
			gpus = append(gpus, newGPU(slot))
		}
	}
	return gpus
}

// unreadGPUs returns the GPUs whose cards were not read before.
func (n *Inventory) unreadGPUs(gpus []*gpu) []*gpu {
	return slices.DeleteFunc(slices.Clone(gpus), func(g *gpu) bool {
		return slices.Contains(n.busy, g) ||
			n.pool.foundOf(g).ended
	})
}

// listInstances lists the instances of a GPU. A GPU that is busy, or whose card is still being read, keeps its
// instances.
func (n *Inventory) listInstances(g *gpu) (parts []*gpu) {
	if f := n.pool.foundOf(g); f.ended && !slices.Contains(n.busy, g) {
		return n.gpusOf(f.parts)
	}
	was := slices.IndexFunc(n.gpus, func(o *gpu) bool { return o.Index == g.Index })
	if was < 0 {
		return nil
	}
	for _, i := range n.instancesOf(n.gpus[was]) {
		parts = append(parts, n.gpus[i])
	}
	return parts
}

// fillCard fills in the card of a GPU, from the findings or from the previous inventory, which the sampler has.
func (n *Inventory) fillCard(i int, before *Inventory) {
	g := n.gpus[i]
	if at := slices.Index(before.gpus, g); at >= 0 {
		n.hello.GPUs[i] = before.hello.GPUs[at]
		return
	}
	f := n.pool.foundOf(g)
	n.hello.GPUs[i], g.once = f.card, f.onceState
}

// instancesOf returns the indices of the instances of a GPU.
func (n *Inventory) instancesOf(g *gpu) (at []int) {
	parent := slices.Index(n.gpus, g)
	for i, c := range n.hello.GPUs {
		if c.Instance != nil && parent >= 0 && c.Instance.Parent == n.hello.GPUs[parent].UUID {
			at = append(at, i)
		}
	}
	return at
}

// tellInstances tells each GPU which instances are listed beside it. It reports whether a GPU is in MIG mode.
func (n *Inventory) tellInstances() (divided bool) {
	for i, g := range n.gpus {
		if n.hello.GPUs[i].Instance != nil {
			continue
		}
		divided = divided || n.hello.GPUs[i].MIG
		var hides []driver.InstanceID
		for _, at := range n.instancesOf(g) {
			id := n.hello.GPUs[at].Instance
			hides = append(hides, driver.InstanceID{GPU: id.GPU, Compute: id.Compute})
		}
		if g.hides.Store(nil); hides != nil {
			g.hides.Store(&hides)
		}
	}
	return divided
}

// fillIdentity fills in the identity of a GPU that is lost or does not respond, so that it cannot be read. It takes the
// identity of the GPU that had the same index before, unless that GPU is listed elsewhere now.
func (n *Inventory) fillIdentity(i int, known []wire.Card) {
	card := &n.hello.GPUs[i]
	at := slices.IndexFunc(known, func(c wire.Card) bool { return c.Index == card.Index && c.UUID != "" })
	if card.Lost == "" && !n.gpus[i].once.pending || at < 0 {
		return
	}
	was := known[at]
	elsewhere := slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.UUID == was.UUID })
	if card.UUID == was.UUID || card.UUID == "" && !elsewhere {
		was.Lost, was.LostID = card.Lost, card.LostID
		*card = was
	}
}

// keepUnchanged adopts the unchanged GPUs of the previous inventory, with their readings. A busy GPU is kept, so that
// there is no second reading of it: if it was lost, or is lost now, its state stays the same until the next inventory.
// A GPU whose card is still being read is replaced by the new one, so that no further call for it can hang; the new GPU
// has the last reading of the old one.
func (n *Inventory) keepUnchanged(before *Inventory, busy []*gpu) {
	for i := range n.gpus {
		card := &n.hello.GPUs[i]
		at := slices.IndexFunc(before.hello.GPUs, func(c wire.Card) bool { return c.Index == card.Index })
		if at < 0 {
			continue
		}
		was, g, fresh := &before.hello.GPUs[at], before.gpus[at], n.gpus[i]
		well := card.UUID == was.UUID && card.Lost == "" && was.Lost == ""
		switch {
		case g == fresh:
			*card = *was // the sampler may have completed it
		case fresh.once.pending:
			if well {
				fresh.last, fresh.lacks, fresh.denied = g.last, g.lacks, g.denied
			}
		case slices.Contains(busy, g):
			n.gpus[i] = g
			if !well {
				*card = *was
			} else {
				g.once, g.stated = fresh.once, false
			}
		case well && g.last.err == nil && !g.last.blank:
			n.gpus[i] = g
			g.once, g.stated = fresh.once, false
		}
	}
}

// dropDriver forgets a driver that went away.
func (n *Inventory) dropDriver(words string) {
	n.forgetGPUs(&driver.InitError{ID: wire.FaultNoDriver, Words: words})
}

// forgetGPUs drops the GPUs after an error. NVML counts Inits, and a second Init succeeds without asking the driver: so
// a Shutdown comes first.
func (n *Inventory) forgetGPUs(err error) {
	n.spent, n.gpus = n.up, nil
	n.hello = wire.Hello{GPUs: []wire.Card{}, Fault: err.Error(), FaultID: wire.FaultOther}
	if init, ok := errors.AsType[*driver.InitError](err); ok {
		n.hello.FaultID = init.ID
	}
}

func (n *Inventory) shutDownNVML() {
	if n.up {
		n.lib.Shutdown()
	}
	n.up, n.gpus = false, nil
}
