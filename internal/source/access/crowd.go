package access

import (
	"errors"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/agent"
)

// ErrCrowded says that as many programs of the user run on this host as the settings allow.
var ErrCrowded = errors.New("max_programs")

// Join counts this program among those of the user on this host, if their number is limited and it will reach SLURM or
// nodes through the host. Its error is an ErrCrowded, or says that programs cannot be counted here and so are not
// limited.
func Join(cfg *config.Config) error {
	if cfg.MaxPrograms == 0 || cfg.Demo != "" || agent.IsList(cfg.Nodes) {
		return nil
	}
	err := remote.TakeSlot(cfg.MaxPrograms)
	if err == nil {
		return nil
	}
	if full, is := errors.AsType[*remote.SlotsFullError](err); is {
		return fmt.Errorf("%w: %w = %d (%s)", full, ErrCrowded, cfg.MaxPrograms, cfg.MaxProgramsFrom)
	}
	return fmt.Errorf("max_programs = %d (%s) is not held: %w", cfg.MaxPrograms, cfg.MaxProgramsFrom, err)
}
