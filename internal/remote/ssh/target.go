package ssh

import (
	"context"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
)

// target returns the settings for node, or an error if a connection from here would differ from the configured one.
func (d *Door) target(ctx context.Context, node string) (*settings.Settings, error) {
	t, err := d.settings.For(ctx, node)
	if err != nil {
		return nil, err
	}
	for _, u := range []struct{ key, value, hint string }{
		{"ProxyJump", t.ProxyJump, "run nvnodetop on the ProxyJump host"},
		{"ProxyCommand", t.ProxyCommand, "run nvnodetop on a host that can reach the nodes directly"},
	} {
		if u.value != "" {
			return nil, &remote.LocalError{What: "ssh configuration of " + node, Err: fmt.Errorf("%s %s is not supported", u.key, u.value), Hints: []string{u.hint}}
		}
	}
	return t, nil
}
