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
	shown int // number of rows with a tag, as of the last settle
}

// has reports whether a process has a tag.
func (t *tags) has(at nav.Process) bool { return t.of[at] }

// toggle tags a process, or removes its tag.
func (t *tags) toggle(at nav.Process) {
	switch {
	case t.of[at]:
		delete(t.of, at)
	case t.of == nil:
		t.of = map[nav.Process]bool{at: true}
	default:
		t.of[at] = true
	}
}

// clear removes all tags.
func (t *tags) clear() { clear(t.of) }

// settle removes the tags of processes that are gone, and counts the rows with a tag.
func (t *tags) settle(s *part.Scene, v *view, kin *families) {
	for at := range t.of {
		if !runs(s.NodeOf(at.Node), at) && !kin.has(at) {
			delete(t.of, at)
		}
	}
	t.shown = 0
	for i := 0; len(t.of) > 0 && i < v.Len(); i++ {
		if t.has(keyOf(v.At(i))) {
			t.shown++
		}
	}
}

// runs reports whether a node lists a process.
func runs(n *cluster.Node, at nav.Process) bool {
	return slices.ContainsFunc(n.Processes, func(w wire.Process) bool {
		return w.PID == at.PID && w.StartTicks == at.StartTicks && w.GPU == at.GPU
	})
}

// targets returns the tagged processes among the rows, in the order of the screen. A process on several GPUs is there
// once.
func (t *tags) targets(s *part.Scene, v *view) (list []tally.Target) {
	seen := map[nav.Process]bool{}
	for i := range v.Len() {
		at := keyOf(v.At(i))
		same := nav.Process{Node: at.Node, ProcessID: at.ProcessID}
		if t.has(at) && !seen[same] {
			seen[same] = true
			list = append(list, targetOf(s, v.At(i)))
		}
	}
	return list
}
