package probe

import (
	"errors"
	"reflect"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// inventory is the state of NVML: whether it can be used, and the GPUs that it has.
type inventory struct {
	lib   Library
	up    bool // Init succeeded and Shutdown was not called since
	was   bool // up, some time
	gpus  []*gpu
	hello wire.Hello // the part of it that NVML gives
}

// incomplete says that trying again may give more than there is.
func (n *inventory) incomplete() bool {
	return !n.up || slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.Lost != "" }) ||
		slices.ContainsFunc(n.gpus, func(g *gpu) bool { return g.partial })
}

// outdated says that the driver was replaced by one of another version while the probe ran. The library that goes with it is on the
// disk, but the dynamic linker never lets go of the old one: only a new process loads it.
func (n *inventory) outdated() bool {
	return n.was && n.hello.FaultID == wire.FaultMismatch
}

// refresh tries to attach to the driver where it is not yet, lists the GPUs, and reports whether something changed.
func (n *inventory) refresh() (changed bool) {
	before := n.hello
	if err := n.attach(); err != nil {
		n.fail(err)
	}
	return !reflect.DeepEqual(before, n.hello)
}

func (n *inventory) attach() error {
	if !n.up {
		if err := n.lib.Init(); err != nil {
			return err
		}
		n.up, n.was = true, true
	}
	slots, err := n.lib.Devices()
	if err != nil {
		return err
	}
	n.gpus = nil
	n.hello = wire.Hello{GPUs: make([]wire.Card, 0, len(slots)), Missing: n.lib.Missing()}
	n.hello.Driver, n.hello.CUDA = n.lib.Versions()
	for _, slot := range slots {
		g := &gpu{Slot: slot}
		n.gpus = append(n.gpus, g)
		n.hello.GPUs = append(n.hello.GPUs, g.card())
	}
	return nil
}

// card is what does not change. A number that cannot be read is absent, and it is tried again.
func (g *gpu) card() wire.Card {
	if g.Device == nil {
		return wire.Card{Index: g.Index, Lost: g.Lost}
	}
	card := g.Device.Card()
	card.Index = g.Index
	if card.Lost == "" {
		err := g.readAll(metric.Once, &card.Values, func(string, error) { g.partial = true })
		if g.partial = g.partial || err != nil; KindOf(err) == Lost {
			card.Lost = err.Error()
		}
	}
	return card
}

// drop lets go of a driver that went away. Attaching anew needs a Shutdown first: NVML counts Inits, and a second one succeeds without
// looking at the driver.
func (n *inventory) drop(words string) {
	n.fail(&InitError{ID: wire.FaultNoDriver, Words: words})
}

func (n *inventory) fail(err error) {
	n.close()
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
