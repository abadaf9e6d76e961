package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// ErrNoGPU says that this host has no NVIDIA GPU.
var ErrNoGPU = errors.New("it has no NVIDIA GPU")

// OnlyHere reports whether the GPUs of this host are all there is to watch: the user names neither nodes nor a login
// host, and SLURM is not installed.
func OnlyHere(cfg *config.Config) bool {
	return cfg.Nodes == "" && cfg.Login == "" && !slurm.Installed()
}

// EndsHere does what OnlyHere does, and also recognizes a SLURM that is installed without a configuration. The source
// of the jobs finds that out by itself. The controller is not asked.
func EndsHere(ctx context.Context, cfg *config.Config) bool {
	return cfg.Nodes == "" && cfg.Login == "" && !slurm.Configured(ctx)
}

// OwnGPUs returns the source for the GPUs of this host. The error is the reason why there are none: ErrNoGPU if the
// host has none.
func OwnGPUs(ctx context.Context, cfg *config.Config, p Polling) (*source.Hosts, error) {
	opener, err := local.New()
	if err != nil {
		return nil, fmt.Errorf("its GPUs cannot be read: %w", err)
	}
	if err := findGPUs(ctx, opener); err != nil {
		return nil, err
	}
	name, host := Here()
	c := p.within(cfg)
	c.Opener, c.Retries = opener, 1
	return source.NewHosts(host, []string{host}, poller.New(c), name, host), nil
}

// OwnWithin is the time limit for finding this host's GPUs.
const OwnWithin = 10 * time.Second

// findGPUs returns nil if this host has GPUs, else the reason why it can show none.
func findGPUs(ctx context.Context, opener poller.Opener) error {
	ctx, cancel := context.WithTimeout(ctx, OwnWithin)
	defer cancel()
	hello, err := firstHello(ctx, opener)
	switch {
	case err != nil:
		return fmt.Errorf("its GPUs cannot be read: %w", err)
	case len(hello.GPUs) > 0:
		return nil
	case hello.Fault == "" || hello.FaultID == wire.FaultNoLibrary:
		return ErrNoGPU
	}
	return fmt.Errorf("it has no working NVIDIA driver: %s", hello.Fault)
}

// firstHello starts a probe and returns its inventory.
func firstHello(ctx context.Context, opener poller.Opener) (*wire.Hello, error) {
	session, err := opener.Open(ctx, "", func(reach.Step) {})
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	msg, err := session.Next()
	if err == nil && msg.Hello == nil {
		err = errors.New("the probe sent no inventory")
	}
	return msg.Hello, err
}
