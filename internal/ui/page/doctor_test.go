package page

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// TestMissingWithoutAProbe: the page says that nvidia-smi is read in place of a probe, and why.
func TestMissingWithoutAProbe(t *testing.T) {
	f := &part.Frame{Scene: &part.Scene{Node: &cluster.Node{Hello: &wire.Hello{StandIn: "no probe for Linux ppc64le"}}}}
	if lines := missing(f); len(lines) != 1 || !strings.Contains(lines[0], "(no probe for Linux ppc64le)") {
		t.Errorf("%q", lines)
	}
}
