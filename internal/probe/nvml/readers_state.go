//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// stateReaders read temperatures, power, clocks and modes.
var stateReaders = []reader{
	numberReader(metric.Temperature, func(d *device) (uint32,
		nvml.Return) {
		return d.nvml.GetTemperature(nvml.TEMPERATURE_GPU)
	}),
	thresholdReader(metric.Slowdown, nvml.TEMPERATURE_THRESHOLD_SLOWDOWN),
	thresholdReader(metric.Shutdown, nvml.TEMPERATURE_THRESHOLD_SHUTDOWN),
	thresholdReader(metric.MaxOperating, nvml.TEMPERATURE_THRESHOLD_GPU_MAX),
	thresholdReader(metric.MemoryMaxOperating, nvml.TEMPERATURE_THRESHOLD_MEM_MAX),
	numberReader(metric.Fan, func(d *device) (uint32, nvml.Return) { return d.nvml.GetFanSpeed() }),
	numberReader(metric.Power, func(d *device) (float64, nvml.Return) { return toWatts(d.nvml.GetPowerUsage()) }),
	numberReader(metric.PowerLimit, func(d *device) (float64,
		nvml.Return) {
		return toWatts(d.nvml.GetEnforcedPowerLimit())
	}),
	numberReader(metric.PowerLimitDefault, func(d *device) (float64,
		nvml.Return) {
		return toWatts(d.nvml.GetPowerManagementDefaultLimit())
	}),
	numberReader(metric.PowerLimitMax, func(d *device) (float64, nvml.Return) {
		_, highest, ret := d.nvml.GetPowerManagementLimitConstraints()
		return toWatts(highest, ret)
	}),
	numberReader(metric.PerformanceState, (*device).performanceState),
	clockReader(metric.SMClock, nvml.CLOCK_SM),
	clockReader(metric.MemClock, nvml.CLOCK_MEM),
	clockReader(metric.GraphicsClock, nvml.CLOCK_GRAPHICS),
	clockReader(metric.VideoClock, nvml.CLOCK_VIDEO),
	highestClock(metric.SMClockMax, nvml.CLOCK_SM),
	highestClock(metric.MemClockMax, nvml.CLOCK_MEM),
	highestClock(metric.GraphicsClockMax, nvml.CLOCK_GRAPHICS),
	highestClock(metric.VideoClockMax, nvml.CLOCK_VIDEO),
	numberReader(metric.Throttle, (*device).readThrottle),
	numberReader(metric.PersistenceMode,
		func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetPersistenceMode() }),
	numberReader(metric.ComputeMode, func(d *device) (nvml.ComputeMode, nvml.Return) { return d.nvml.GetComputeMode() }),
	numberReader(metric.DisplayMode, func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetDisplayMode() }),
	numberReader(metric.DisplayActive,
		func(d *device) (nvml.EnableState, nvml.Return) { return d.nvml.GetDisplayActive() }),
}

func thresholdReader(id metric.ID, of nvml.TemperatureThresholds) reader {
	return numberReader(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetTemperatureThreshold(of) })
}

func clockReader(id metric.ID, of nvml.ClockType) reader {
	return numberReader(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetClockInfo(of) })
}

func highestClock(id metric.ID, of nvml.ClockType) reader {
	return numberReader(id, func(d *device) (uint32, nvml.Return) { return d.nvml.GetMaxClockInfo(of) })
}

// performanceState reads P0 to P15. Any other number means that the driver does not know.
func (d *device) performanceState() (nvml.Pstates, nvml.Return) {
	state, ret := d.nvml.GetPerformanceState()
	if ret == nvml.SUCCESS && (state < nvml.PSTATE_0 || state > nvml.PSTATE_15) {
		ret = nvml.ERROR_NOT_SUPPORTED
	}
	return state, ret
}

// readThrottle reads the reasons for lower clocks with the new call, and otherwise with the old one.
func (d *device) readThrottle() (uint64, nvml.Return) {
	reasons, ret := d.nvml.GetCurrentClocksEventReasons()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return d.nvml.GetCurrentClocksThrottleReasons()
	}
	return reasons, ret
}

// toWatts converts a number of mW to W.
func toWatts(milliwatts uint32, ret nvml.Return) (float64, nvml.Return) {
	return float64(milliwatts) / 1000, ret
}
