//go:build !linux || !cgo

package nvml

import (
	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// Library is none: this build cannot call NVML.
type Library struct{}

// New returns a Library whose Init says why there is none.
func New() *Library { return &Library{} }

// Init fails.
func (*Library) Init() error {
	return &probe.InitError{ID: probe.FaultNoNVML, Words: "built without cgo: NVML is not there"}
}

// Shutdown does nothing.
func (*Library) Shutdown() {}

// Versions knows none.
func (*Library) Versions() (driver, cuda string) { return "", "" }

// Missing names nothing.
func (*Library) Missing() []string { return nil }

// Devices is never called, since Init fails.
func (*Library) Devices() ([]probe.Slot, error) { return nil, nil }
