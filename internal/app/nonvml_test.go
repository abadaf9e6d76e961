package app

import (
	"os"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// noNVML is the library of a host without GPUs, or with the driver fault that the environment names, or with one GPU
// that has fallen off the bus.
type noNVML struct{ driver.Library }

const (
	faultEnv = "NVNODETOP_APP_TEST_FAULT"
	lostEnv  = "NVNODETOP_APP_TEST_LOST"
)

func (noNVML) Init() error {
	if os.Getenv(lostEnv) != "" {
		return nil
	}
	if fault := os.Getenv(faultEnv); fault != "" {
		return &driver.InitError{ID: wire.FaultMismatch, Words: fault}
	}
	return &driver.InitError{ID: wire.FaultNoLibrary, Words: "libnvidia-ml.so.1 not found"}
}
func (noNVML) Shutdown()                  {}
func (noNVML) Missing() []string          { return nil }
func (noNVML) Versions() (string, string) { return "", "" }
func (noNVML) Devices() (slots []driver.Slot, err error) {
	if why := os.Getenv(lostEnv); why != "" {
		slots = []driver.Slot{{Lost: why}}
	}
	return slots, nil
}
