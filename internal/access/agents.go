package access

import (
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Agents returns the source for hosts with agents of nvgpu, a list of URLs.
func Agents(list string, p poller.Config) (*source.Hosts, error) {
	opener, err := agent.New(list)
	if err != nil {
		return nil, err
	}
	name, host := Here()
	p.Opener, p.Retries = opener, parallelRetries
	return source.NewHosts(list, opener.Names(), poller.New(p), name, host), nil
}
