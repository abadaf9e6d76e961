//go:build linux && cgo

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// reader reads numbers of a GPU with one call of NVML. It is called only when the library has one of the functions that the table of
// metrics names for the first of them.
type reader struct {
	ids  []metric.ID
	read func(*device, *metric.Values) nvml.Return // sets ids when it succeeds
}

// readers has each of a GPU's numbers once. What one reader reads is of one pace.
var readers = []reader{
	{[]metric.ID{metric.Util, metric.MemUtil}, utilization},
	one(metric.MemoryUsed, func(d *device) (uint64, nvml.Return) { used, _, ret := d.memory(); return used, ret }),
	one(metric.MemoryTotal, func(d *device) (uint64, nvml.Return) { _, total, ret := d.memory(); return total, ret }),
	one(metric.Temperature, func(d *device) (uint32, nvml.Return) { return d.nvml.GetTemperature(nvml.TEMPERATURE_GPU) }),
	one(metric.MemoryTemperature, func(d *device) (float64, nvml.Return) { return d.field(nvml.FI_DEV_MEMORY_TEMP) }),
	one(metric.Slowdown, func(d *device) (uint32, nvml.Return) {
		return d.nvml.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)
	}),
	one(metric.Power, func(d *device) (float64, nvml.Return) { return watts(d.nvml.GetPowerUsage()) }),
	one(metric.PowerLimit, func(d *device) (float64, nvml.Return) { return watts(d.nvml.GetEnforcedPowerLimit()) }),
	one(metric.SMClock, func(d *device) (uint32, nvml.Return) { return d.nvml.GetClockInfo(nvml.CLOCK_SM) }),
	one(metric.SMClockMax, func(d *device) (uint32, nvml.Return) { return d.nvml.GetMaxClockInfo(nvml.CLOCK_SM) }),
	one(metric.MemClock, func(d *device) (uint32, nvml.Return) { return d.nvml.GetClockInfo(nvml.CLOCK_MEM) }),
	one(metric.Throttle, (*device).throttle),
	one(metric.ECCUncorrected, func(d *device) (uint64, nvml.Return) {
		return d.nvml.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
	}),
}

// one is the reader of a single number.
func one[T uint32 | uint64 | float64](id metric.ID, call func(*device) (T, nvml.Return)) reader {
	return reader{[]metric.ID{id}, func(d *device, to *metric.Values) nvml.Return {
		v, ret := call(d)
		if ret == nvml.SUCCESS {
			to.Set(id, float64(v))
		}
		return ret
	}}
}

// readers are those whose functions the library has.
func (d *device) readers() []probe.Reader {
	var out []probe.Reader
	for _, r := range readers {
		if d.lib.hasOne(r.ids[0].Row().From) {
			out = append(out, probe.Reader{IDs: r.ids, Read: func(to *metric.Values) error { return check(r.read(d, to)) }})
		}
	}
	return out
}

func utilization(d *device, to *metric.Values) nvml.Return {
	u, ret := d.nvml.GetUtilizationRates()
	if ret == nvml.SUCCESS {
		to.Set(metric.Util, float64(u.Gpu))
		to.Set(metric.MemUtil, float64(u.Memory))
	}
	return ret
}

// memory reads what processes use. Only the second version of the call tells that apart from what the driver reserves; a driver that
// has it may still refuse it for a GPU.
func (d *device) memory() (used, total uint64, ret nvml.Return) {
	if d.lib.has["nvmlDeviceGetMemoryInfo_v2"] {
		m, ret := d.nvml.GetMemoryInfo_v2()
		if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND || !d.lib.has["nvmlDeviceGetMemoryInfo"] {
			return m.Used, m.Total, ret
		}
	}
	m, ret := d.nvml.GetMemoryInfo()
	return m.Used, m.Total, ret
}

// throttle reads why the clocks are not higher, under the call's new name or its old one.
func (d *device) throttle() (uint64, nvml.Return) {
	if d.lib.has["nvmlDeviceGetCurrentClocksEventReasons"] {
		return d.nvml.GetCurrentClocksEventReasons()
	}
	return d.nvml.GetCurrentClocksThrottleReasons()
}

// watts are what NVML counts in mW.
func watts(milliwatts uint32, ret nvml.Return) (float64, nvml.Return) {
	return float64(milliwatts) / 1000, ret
}
