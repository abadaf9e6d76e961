//go:build !linux || !cgo || !(amd64 || arm64)

package nvml

import (
	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Library has only Init, which fails: no other method is called after that.
type Library struct{ driver.Library }

// New returns a Library whose Init fails.
func New() *Library { return &Library{} }

// Init returns the error that this build has no NVML.
func (*Library) Init() error {
	return &driver.InitError{ID: wire.FaultNoNVML,
		Words: "this build has no NVML (it needs cgo, and Linux on amd64 or arm64)"}
}
