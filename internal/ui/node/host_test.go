package node

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Models are counted in the order in which they come; a card without a name is none.
func TestModels(t *testing.T) {
	n := &cluster.Node{}
	for _, name := range []string{"NVIDIA B", "NVIDIA A", "", "NVIDIA B"} {
		n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{Name: name}})
	}
	if got, want := modelsText(n), "2 × B, 1 × A"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
