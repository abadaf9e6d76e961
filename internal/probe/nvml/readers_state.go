//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// stateReaders read temperatures, power, clocks and modes.
var stateReaders = []reader{
	one(metric.Temperature, func(d *device) (uint32,
		nvml.Return) {
		return d.nvml.GetTemperature(nvml.TEMPERATURE_GPU)
	}),
	threshold(metric.Slowdown, nvml.TEMPERATURE_THRESHOLD_SLOWDOWN),
	threshold(metric.Shutdown, nvml.TEMPERATURE_THRESHOLD_SHUTDOWN),
	threshold(metric.MaxOperating, nvml.TEMPERATURE_THRESHOLD_GPU_MAX),
	threshold(metric.MemoryMaxOperating, nvml.TEMPERATURE_THRESHOLD_MEM_MAX),
	one(metric.Fan, func(d *device) (uint32, nvml.Return) { return d.nvml.GetFanSpeed() }),
	one(metric.Power, func(d *device) (float64, nvml.Return) { return watts(d.nvml.GetPowerUsage()) }),
	one(metric.PowerLimit, func(d *device) (float64,
		nvml.Return) {
		return watts(d.nvml.GetEnforcedPowerLimit())
	}),
	one(metric.PowerLimitDefault, func(d *device) (float64,
		nvml.Return) {
		return watts(d.nvml.GetPowerManagementDefaultLimit())
	}),
	one(metric.PowerLimitMax, func(d *device) (float64, nvml.Return) {
		_, highest, ret := d.nvml.GetPowerManagementLimitConstraints()
		return watts(highest, ret)
	}),
	one(metric.PerformanceState, (*device).performanceState),
	clock(metric.SMClock, nvml.CLOCK_SM),
	clock(metric.MemClock, nvml.CLOCK_MEM),
	clock(metric.GraphicsClock, nvml.CLOCK_GRAPHICS),
	clock(metric.VideoClock, nvml.CLOCK_VIDEO),
	highestClock(metric.SMClockMax, nvml.CLOCK_SM),
	highestClock(metric.MemClockMax, nvml.CLOCK_MEM),
	highestClock(metric.GraphicsClockMax, nvml.CLOCK_GRAPHICS),
	highestClock(metric.VideoClockMax, nvml.CLOCK_VIDEO),
	one(metric.Throttle, (*device).throttle),
	one(metric.PersistenceMode, func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetPersistenceMode() }),
	one(metric.ComputeMode, func(d *device) (nvml.ComputeMode, nvml.Return) { return d.nvml.GetComputeMode() }),
	one(metric.DisplayMode, func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetDisplayMode() }),
	one(metric.DisplayActive, func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetDisplayActive() }),
}

func threshold(id metric.ID, of nvml.TemperatureThresholds) reader {
	return one(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetTemperatureThreshold(of) })
}

func clock(id metric.ID, of nvml.ClockType) reader {
	return one(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetClockInfo(of) })
}

func highestClock(id metric.ID, of nvml.ClockType) reader {
	return one(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetMaxClockInfo(of) })
}

// performanceState reads P0 to P15. Any other number means that the driver does not know.
func (d *device) performanceState() (nvml.Pstates, nvml.Return) {
	state, ret := d.nvml.GetPerformanceState()
	if ret == nvml.SUCCESS && (state < nvml.PSTATE_0 || state > nvml.PSTATE_15) {
		ret = nvml.ERROR_NOT_SUPPORTED
	}
	return state, ret
}

// throttle reads the reasons for lower clocks with the new call, or else with the old one.
func (d *device) throttle() (uint64, nvml.Return) {
	reasons, ret := d.nvml.GetCurrentClocksEventReasons()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return d.nvml.GetCurrentClocksThrottleReasons()
	}
	return reasons, ret
}

// watts converts a number of mW.
func watts(milliwatts uint32, ret nvml.Return) (float64, nvml.Return) {
	return float64(milliwatts) / 1000, ret
}
