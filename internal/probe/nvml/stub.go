//go:build !linux || !cgo || !(amd64 || arm64)

package nvml

import (
	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Library is none: this build cannot call NVML. Nothing else is called after an Init that failed.
type Library struct{ probe.Library }

// New returns a Library whose Init says why there is none.
func New() *Library { return &Library{} }

// Init fails.
func (*Library) Init() error {
	return &probe.InitError{ID: wire.FaultNoNVML, Words: "this build has no NVML (it needs cgo, and Linux on amd64 or arm64)"}
}
