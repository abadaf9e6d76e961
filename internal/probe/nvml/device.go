//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"bytes"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// device is one GPU.
type device struct {
	nvml     nvml.Device
	unlisted error // copy of the Library's field
	driver   int   // likewise
	gpm      *gpm
}

// checkReturn turns a return value of NVML into an error.
func checkReturn(ret nvml.Return) error {
	kind := driver.Other
	switch ret {
	case nvml.SUCCESS:
		return nil
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_FUNCTION_NOT_FOUND:
		kind = driver.Absent
	case nvml.ERROR_NO_PERMISSION:
		kind = driver.Denied
	case nvml.ERROR_GPU_IS_LOST, nvml.ERROR_RESET_REQUIRED:
		kind = driver.Lost
	case nvml.ERROR_UNINITIALIZED, nvml.ERROR_DRIVER_NOT_LOADED:
		kind = driver.Gone
	}
	e := &driver.Error{Kind: kind, Words: ret.Error()}
	if kind == driver.Lost {
		e.LostID = lostID(ret)
	}
	return e
}

// lostID returns the class of an error that makes a GPU inaccessible.
func lostID(ret nvml.Return) string {
	switch ret {
	case nvml.ERROR_GPU_IS_LOST:
		return wire.LostFellOff
	case nvml.ERROR_RESET_REQUIRED:
		return wire.LostReset
	case nvml.ERROR_INSUFFICIENT_POWER:
		return wire.LostPower
	case nvml.ERROR_IRQ_ISSUE:
		return wire.LostIRQ
	case nvml.ERROR_TIMEOUT:
		return wire.LostTimeout
	}
	return wire.LostOther
}

// readIdentity reads the identity and the location of a GPU. Even a lost GPU may have them.
func (d *device) readIdentity() wire.Card {
	var c wire.Card
	if minor, ret := d.nvml.GetMinorNumber(); ret == nvml.SUCCESS {
		c.Minor = &minor
	}
	if pci, ret := d.nvml.GetPciInfo(); ret == nvml.SUCCESS {
		c.PCIBus = cString(pci.BusId[:])
	}
	return c
}

// Card reads the static, non-numeric properties.
func (d *device) Card() wire.Card {
	c := d.readIdentity()
	uuid, ret := d.nvml.GetUUID()
	switch err := checkReturn(ret); {
	case err == nil:
		c.UUID = uuid
	case driver.KindOf(err) == driver.Lost:
		c.Lost, c.LostID = err.Error(), lostID(ret)
		return c
	}
	c.Name, _ = d.nvml.GetName() // empty if a call fails, also below
	c.Serial, _ = d.nvml.GetSerial()
	c.VBIOS, _ = d.nvml.GetVbiosVersion()
	if major, minor, ret := d.nvml.GetCudaComputeCapability(); ret == nvml.SUCCESS {
		c.Capability = fmt.Sprintf("%d.%d", major, minor)
	}
	if info, ret := d.fabricInfo(); ret == nvml.SUCCESS {
		c.FabricDomain = fabricDomain(&info)
	}
	mode, _, ret := d.nvml.GetMigMode()
	switch ret {
	case nvml.SUCCESS:
		c.MIG = mode == nvml.DEVICE_MIG_ENABLE
	case nvml.ERROR_NOT_SUPPORTED, nvml.ERROR_FUNCTION_NOT_FOUND: // without MIG
	default:
		c.MIGUnknown = true
	}
	return c
}

// cString returns a C string in a fixed array.
func cString(chars []int8) string {
	raw := make([]byte, len(chars))
	for i, c := range chars {
		raw[i] = byte(c)
	}
	raw, _, _ = bytes.Cut(raw, []byte{0})
	return string(raw)
}
