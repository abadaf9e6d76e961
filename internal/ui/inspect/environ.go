package inspect

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// environment is the environment with which a process was started.
var environment = &sheetKind{
	page: keys.OnEnviron, leave: keys.LeaveEnviron, title: "Environment of", one: "variable", many: "variables",
	none:      "The process was started without an environment, or has overwritten it.",
	refused:   "The environment",
	truncated: "Cut off: the environment is longer than a node sends.",
	ask:       func(id wire.ProcessID) wire.Request { return wire.Request{Environ: &id} },
	answers: func(r *wire.Request, id wire.ProcessID) bool {
		return r.Environ != nil && *r.Environ == id
	},
	code: nav.CodeTable[*FactSheet]{
		{Of: keys.Secrets, Do: nav.ChangePage(func(e *FactSheet) { e.shown = !e.shown })},
		{Of: keys.LeaveEnviron, Do: nav.ChangePage((*FactSheet).close)},
	},
	read: func(r *wire.Reply) (list []variable, truncated, sent bool) {
		if r.Environ == nil {
			return nil, false, false
		}
		return parseEnviron(r.Environ.Variables), r.Environ.Truncated, true
	},
}

// NewEnviron asks for the environment of a process.
func NewEnviron(t tally.Target) (*FactSheet, nav.Answer) { return newSheet(environment, t) }
