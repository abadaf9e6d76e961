package access

import (
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// ExpandHosts expands a list of hosts, such as a,b[1-3]. An empty list has no hosts. from is the origin of the list,
// for errors.
func ExpandHosts(from, list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	names, err := notation.ExpandHosts(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (write hosts as gpu01 or 'gpu[01-04]')", from, err)
	}
	for _, name := range names {
		switch {
		case notation.IsHost(name):
		case strings.ContainsAny(name, "@:"):
			return nil, fmt.Errorf("%s takes host names only, not %q: set user and port in ~/.ssh/config", from, name)
		default:
			return nil, fmt.Errorf("%s: invalid host name %q (write hosts as gpu01 or 'gpu[01-04]')", from, name)
		}
	}
	return names, nil
}

// CheckLogin checks the login host of the settings. from is its origin, for the error.
func CheckLogin(cfg *config.Config, from string) error {
	if err := ssh.CheckLogin(cfg.Login); err != nil {
		return fmt.Errorf("%s takes [USER@]HOST[:PORT], such as alice@cluster: %w", from, err)
	}
	return nil
}
