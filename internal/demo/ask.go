package demo

import (
	"context"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Ask has no answer: there is no probe behind a simulated node.
func (d *Demo) Ask(_ context.Context, node string, _ wire.Request) (wire.Reply, error) {
	return wire.Reply{}, fmt.Errorf("%q is simulated: nothing can be asked of it", node)
}
