//go:build linux && cgo

package nvml

import (
	"bytes"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// device is one GPU.
type device struct {
	lib  *Library
	nvml nvml.Device
}

// absent is the answer of a function that the driver's library does not have.
const absent = nvml.ERROR_FUNCTION_NOT_FOUND

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

// Card reads what does not change. First comes by what a GPU is told from others, which may be known of one that is lost as well.
func (d *device) Card() probe.Card {
	var c probe.Card
	if d.lib.has["nvmlDeviceGetMinorNumber"] {
		c.Minor = known(d.nvml.GetMinorNumber())
	}
	if d.lib.hasAny("nvmlDeviceGetPciInfo") {
		if pci, ret := d.nvml.GetPciInfo(); ret == nvml.SUCCESS {
			c.PCIBus = text(pci.BusId[:])
		}
	}
	uuid, ret := d.nvml.GetUUID()
	switch err := check(ret); {
	case err == nil:
		c.UUID = uuid
	case isLost(err):
		c.Lost = err.Error()
		return c
	}
	c.Name, _ = d.nvml.GetName() // empty when it fails
	if _, total, err := d.Memory(); err == nil {
		c.MemoryTotal = &total
	}
	if d.lib.has["nvmlDeviceGetMaxClockInfo"] {
		c.SMMax = knownInt(d.nvml.GetMaxClockInfo(nvml.CLOCK_SM))
	}
	if d.lib.has["nvmlDeviceGetTemperatureThreshold"] {
		c.SlowdownC = knownInt(d.nvml.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN))
	}
	if d.lib.has["nvmlDeviceGetMigMode"] {
		mode, _, ret := d.nvml.GetMigMode()
		c.MIG = ret == nvml.SUCCESS && mode == nvml.DEVICE_MIG_ENABLE
	}
	return c
}

func known[T any](v T, ret nvml.Return) *T {
	if ret != nvml.SUCCESS {
		return nil
	}
	return &v
}

func knownInt(v uint32, ret nvml.Return) *int {
	return known(int(v), ret)
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

// Utilization reads the shares of time with a kernel resident and with the memory bus in use.
func (d *device) Utilization() (gpu, memory int, err error) {
	if !d.lib.has["nvmlDeviceGetUtilizationRates"] {
		return 0, 0, check(absent)
	}
	u, ret := d.nvml.GetUtilizationRates()
	return int(u.Gpu), int(u.Memory), check(ret)
}

// Memory reads what processes use. Only the second version of the call tells that apart from what the driver reserves; a driver that
// has it may still refuse it for a GPU.
func (d *device) Memory() (used, total uint64, err error) {
	if d.lib.has["nvmlDeviceGetMemoryInfo_v2"] {
		m, ret := d.nvml.GetMemoryInfo_v2()
		if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND {
			return m.Used, m.Total, check(ret)
		}
	}
	if !d.lib.has["nvmlDeviceGetMemoryInfo"] {
		return 0, 0, check(absent)
	}
	m, ret := d.nvml.GetMemoryInfo()
	return m.Used, m.Total, check(ret)
}

// Temperature reads the sensor on the GPU's die.
func (d *device) Temperature() (int, error) {
	if !d.lib.has["nvmlDeviceGetTemperature"] {
		return 0, check(absent)
	}
	v, ret := d.nvml.GetTemperature(nvml.TEMPERATURE_GPU)
	return int(v), check(ret)
}

// Power reads the power of the whole board; NVML counts in mW.
func (d *device) Power() (float64, error) {
	if !d.lib.has["nvmlDeviceGetPowerUsage"] {
		return 0, check(absent)
	}
	v, ret := d.nvml.GetPowerUsage()
	return float64(v) / 1000, check(ret)
}

// PowerLimit reads the limit that holds, the least of all that were set.
func (d *device) PowerLimit() (float64, error) {
	if !d.lib.has["nvmlDeviceGetEnforcedPowerLimit"] {
		return 0, check(absent)
	}
	v, ret := d.nvml.GetEnforcedPowerLimit()
	return float64(v) / 1000, check(ret)
}

// SMClock reads the clock of the streaming multiprocessors.
func (d *device) SMClock() (int, error) { return d.clock(nvml.CLOCK_SM) }

// MemoryClock reads the clock of the memory.
func (d *device) MemoryClock() (int, error) { return d.clock(nvml.CLOCK_MEM) }

func (d *device) clock(of nvml.ClockType) (int, error) {
	if !d.lib.has["nvmlDeviceGetClockInfo"] {
		return 0, check(absent)
	}
	v, ret := d.nvml.GetClockInfo(of)
	return int(v), check(ret)
}

// Throttle reads why the clocks are not higher, under the call's new name or its old one.
func (d *device) Throttle() (uint64, error) {
	ret := absent
	var v uint64
	switch {
	case d.lib.has["nvmlDeviceGetCurrentClocksEventReasons"]:
		v, ret = d.nvml.GetCurrentClocksEventReasons()
	case d.lib.has["nvmlDeviceGetCurrentClocksThrottleReasons"]:
		v, ret = d.nvml.GetCurrentClocksThrottleReasons()
	}
	return v, check(ret)
}

// ECCUncorrected reads the uncorrected memory errors since the driver was loaded.
func (d *device) ECCUncorrected() (uint64, error) {
	if !d.lib.has["nvmlDeviceGetTotalEccErrors"] {
		return 0, check(absent)
	}
	v, ret := d.nvml.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	return v, check(ret)
}
