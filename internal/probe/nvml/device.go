//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"bytes"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// device is one GPU.
type device struct{ nvml nvml.Device }

// check makes an error of what NVML returned.
func check(ret nvml.Return) error {
	kind := probe.Other
	switch ret {
	case nvml.SUCCESS:
		return nil
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_NO_PERMISSION, nvml.ERROR_FUNCTION_NOT_FOUND:
		kind = probe.Absent
	case nvml.ERROR_GPU_IS_LOST, nvml.ERROR_RESET_REQUIRED:
		kind = probe.Lost
	case nvml.ERROR_UNINITIALIZED, nvml.ERROR_DRIVER_NOT_LOADED:
		kind = probe.Gone
	}
	return &probe.Error{Kind: kind, Words: ret.Error()}
}

// Card reads what is no number and does not change. First comes by what a GPU is told from others, which may be known of one that is lost as well.
func (d *device) Card() wire.Card {
	var c wire.Card
	if minor, ret := d.nvml.GetMinorNumber(); ret == nvml.SUCCESS {
		c.Minor = &minor
	}
	if pci, ret := d.nvml.GetPciInfo(); ret == nvml.SUCCESS {
		c.PCIBus = text(pci.BusId[:])
	}
	uuid, ret := d.nvml.GetUUID()
	switch err := check(ret); {
	case err == nil:
		c.UUID = uuid
	case probe.KindOf(err) == probe.Lost:
		c.Lost = err.Error()
		return c
	}
	c.Name, _ = d.nvml.GetName() // empty when it fails
	mode, _, ret := d.nvml.GetMigMode()
	c.MIG = ret == nvml.SUCCESS && mode == nvml.DEVICE_MIG_ENABLE
	return c
}

// text is a C string in a fixed array.
func text(chars []int8) string {
	raw := make([]byte, len(chars))
	for i, c := range chars {
		raw[i] = byte(c)
	}
	raw, _, _ = bytes.Cut(raw, []byte{0})
	return string(raw)
}
