package part

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Slots are the numbers of the GPUs on the nodes of a job, in order, so that each number has the same place on every
// node. noNumber is last.
type Slots []int

// noNumber is the slot of GPUs with an unknown number.
const noNumber = -1

// mostNumber is the highest number of a GPU that has a slot.
const mostNumber = 1023

// slotOf is the slot of a GPU with this number.
func slotOf(number int) int {
	if number == cluster.NoNumber || number > mostNumber {
		return noNumber
	}
	return number
}

// NewSlots collects the numbers from SLURM, from the driver's lists and from reports, so that the slots stay when a
// node fails.
func NewSlots(s *Scene) Slots {
	return Once(s, slotsKey{s.Mine}, func() Slots { return slotsOf(s) })
}

func slotsOf(s *Scene) Slots {
	var have [mostNumber + 2]bool // the last is noNumber
	for _, name := range s.Job.Nodes {
		n := s.NodeOf(name)
		share := s.Job.Share(n)
		add := func(number int) {
			if number >= 0 && number <= mostNumber && (!s.Mine || share.Has(&number)) {
				have[number] = true
			}
		}
		for _, number := range share.Numbers() {
			add(number)
		}
		if n.Hello != nil && len(n.GPUs) == 0 { // a report has all the numbers
			for i := range n.Hello.GPUs {
				if minor := n.Hello.GPUs[i].Minor; minor != nil {
					add(*minor)
				}
			}
		}
		for _, r := range s.nodeReadings(n) {
			if slotOf(r.number) != noNumber {
				add(r.number)
			} else if !s.Mine || share.Has(&r.number) {
				have[mostNumber+1] = true
			}
		}
	}
	var slots Slots
	for number, has := range have[:mostNumber+1] {
		if has {
			slots = append(slots, number)
		}
	}
	if len(slots) == 0 { // nothing is known yet: most nodes have 8 GPUs
		slots = Slots{0, 1, 2, 3, 4, 5, 6, 7}
	}
	if have[mostNumber+1] {
		slots = append(slots, noNumber)
	}
	return slots
}

// slotTitle is the number of a slot.
func (s Slots) slotTitle(i int) string {
	if s[i] == noNumber {
		return "?"
	}
	return strconv.Itoa(s[i])
}

// String lists the numbers: "0–7", "1 3".
func (s Slots) String() string {
	if last := len(s) - 1; last > 1 && s[last]-s[0] == last {
		return s.slotTitle(0) + "–" + s.slotTitle(last)
	}
	var titles []string
	for i := range s {
		titles = append(titles, s.slotTitle(i))
	}
	return strings.Join(titles, " ")
}
