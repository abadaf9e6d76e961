package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// tags are the processes that the user has tagged. A tag ends with its process.
type tags struct {
	of    map[nav.Process]bool
	shown int // number of tagged rows at the last settle
}

func (t *tags) hasTag(at nav.Process) bool { return t.of[at] }

// toggleTag tags a process, or removes its tag.
func (t *tags) toggleTag(at nav.Process) {
	switch {
	case t.of[at]:
		delete(t.of, at)
	case t.of == nil:
		t.of = map[nav.Process]bool{at: true}
	default:
		t.of[at] = true
	}
}

// dropGoneTags removes the tags of processes that are gone, and counts the rows with a tag.
func (t *tags) dropGoneTags(s *part.Scene, v *view, kin *families) {
	for at := range t.of {
		if !listsProcess(s.NodeOf(at.Node), at) && !kin.hasRelative(at) {
			delete(t.of, at)
		}
	}
	t.shown = 0
	for i := 0; len(t.of) > 0 && i < v.Len(); i++ {
		if t.hasTag(keyOf(v.At(i))) {
			t.shown++
		}
	}
}

func listsProcess(n *cluster.Node, at nav.Process) bool {
	return slices.ContainsFunc(n.Processes, func(w wire.Process) bool {
		return w.PID == at.PID && w.StartTicks == at.StartTicks && w.GPU == at.GPU
	})
}

// taggedTargets returns the tagged processes among the rows, in the order of the screen. A process on several GPUs
// appears once.
func (t *tags) taggedTargets(s *part.Scene, v *view) (list []tally.Target) {
	seen := map[nav.Process]bool{}
	for i := range v.Len() {
		at := keyOf(v.At(i))
		same := nav.Process{Node: at.Node, ProcessID: at.ProcessID}
		if t.hasTag(at) && !seen[same] {
			seen[same] = true
			list = append(list, targetOf(s, v.At(i)))
		}
	}
	return list
}
