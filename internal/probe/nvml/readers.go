//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// reader reads numbers of a GPU with one call of NVML.
type reader struct {
	ids  []metric.ID
	read func(*device, *metric.Values) nvml.Return // sets ids when it succeeds
}

// readers covers each metric exactly once. All metrics of one reader share an interval.
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
	one(metric.PowerLimit, (*device).powerLimit),
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

func (d *device) readers() []probe.Reader {
	out := make([]probe.Reader, len(readers))
	for i, r := range readers {
		out[i] = probe.Reader{IDs: r.ids, Read: func(to *metric.Values) error { return check(r.read(d, to)) }}
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
	m, ret := d.nvml.GetMemoryInfo_v2()
	if ret != nvml.ERROR_NOT_SUPPORTED && ret != nvml.ERROR_FUNCTION_NOT_FOUND {
		return m.Used, m.Total, ret
	}
	old, ret := d.nvml.GetMemoryInfo()
	return old.Used, old.Total, ret
}

// throttle reads why the clocks are not higher, under the call's new name or its old one.
func (d *device) throttle() (uint64, nvml.Return) {
	reasons, ret := d.nvml.GetCurrentClocksEventReasons()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return d.nvml.GetCurrentClocksThrottleReasons()
	}
	return reasons, ret
}

// powerLimit reads the limit that is enforced. A limit of 0 is none: no GPU runs on that.
func (d *device) powerLimit() (float64, nvml.Return) {
	limit, ret := watts(d.nvml.GetEnforcedPowerLimit())
	if limit == 0 {
		limit = math.NaN()
	}
	return limit, ret
}

// watts are what NVML counts in mW.
func watts(milliwatts uint32, ret nvml.Return) (float64, nvml.Return) {
	return float64(milliwatts) / 1000, ret
}
