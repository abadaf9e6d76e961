package gpus

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// unlisted is the reason why a GPU counts as lost that the driver listed before.
const unlisted = "GPU not listed any more"

// addLost adds the known GPUs that the driver no longer lists, as lost: it may list them again after a reset. If a
// listed GPU cannot say which one it is, it may be one of them: then none is added.
func (n *Inventory) addLost(known []wire.Card) {
	isBare := func(c wire.Card) bool { return c.UUID == "" }
	if slices.ContainsFunc(n.hello.GPUs, isBare) {
		return
	}
	for _, was := range known {
		isListed := func(c wire.Card) bool { return c.UUID == was.UUID }
		if isBare(was) || was.Instance != nil || slices.ContainsFunc(n.hello.GPUs, isListed) {
			continue
		}
		was.Index = n.freeIndex(was.Index)
		was.Lost, was.LostID = unlisted, wire.LostFellOff
		n.gpus = append(n.gpus, newGPU(driver.Slot{Index: was.Index, Lost: was.Lost, LostID: was.LostID}))
		n.hello.GPUs = append(n.hello.GPUs, was)
	}
}

// freeIndex returns an index that no GPU has, if possible the wanted one. When a GPU is gone, those after it move up in
// the driver's list.
func (n *Inventory) freeIndex(want int) int {
	for slices.ContainsFunc(n.hello.GPUs, func(c wire.Card) bool { return c.Index == want }) {
		want++
	}
	return want
}
