//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// stateReaders read temperatures, power, clocks and modes.
var stateReaders = []reader{
	numberReader(metric.Temperature,
		func(d nvml.Device) (uint32, nvml.Return) { return d.GetTemperature(nvml.TEMPERATURE_GPU) }),
	thresholdReader(metric.Slowdown, nvml.TEMPERATURE_THRESHOLD_SLOWDOWN),
	thresholdReader(metric.Shutdown, nvml.TEMPERATURE_THRESHOLD_SHUTDOWN),
	thresholdReader(metric.MaxOperating, nvml.TEMPERATURE_THRESHOLD_GPU_MAX),
	thresholdReader(metric.MemoryMaxOperating, nvml.TEMPERATURE_THRESHOLD_MEM_MAX),
	numberReader(metric.Fan, nvml.Device.GetFanSpeed),
	numberReader(metric.Power, inWatts(nvml.Device.GetPowerUsage)),
	numberReader(metric.PowerLimit, inWatts(nvml.Device.GetEnforcedPowerLimit)),
	numberReader(metric.PowerLimitDefault, inWatts(nvml.Device.GetPowerManagementDefaultLimit)),
	numberReader(metric.PowerLimitMax, inWatts(secondOf(nvml.Device.GetPowerManagementLimitConstraints))),
	numberReader(metric.PerformanceState, performanceState),
	clockReader(metric.SMClock, nvml.CLOCK_SM),
	clockReader(metric.MemClock, nvml.CLOCK_MEM),
	clockReader(metric.GraphicsClock, nvml.CLOCK_GRAPHICS),
	clockReader(metric.VideoClock, nvml.CLOCK_VIDEO),
	highestClock(metric.SMClockMax, nvml.CLOCK_SM),
	highestClock(metric.MemClockMax, nvml.CLOCK_MEM),
	highestClock(metric.GraphicsClockMax, nvml.CLOCK_GRAPHICS),
	highestClock(metric.VideoClockMax, nvml.CLOCK_VIDEO),
	numberReader(metric.Throttle, readThrottle),
	numberReader(metric.PersistenceMode, nvml.Device.GetPersistenceMode),
	numberReader(metric.ComputeMode, nvml.Device.GetComputeMode),
	numberReader(metric.DisplayMode, nvml.Device.GetDisplayMode),
	numberReader(metric.DisplayActive, nvml.Device.GetDisplayActive),
}

func thresholdReader(id metric.ID, of nvml.TemperatureThresholds) reader {
	return numberReader(id, func(d nvml.Device) (uint32, nvml.Return) { return d.GetTemperatureThreshold(of) })
}

func clockReader(id metric.ID, of nvml.ClockType) reader {
	return numberReader(id, func(d nvml.Device) (uint32, nvml.Return) { return d.GetClockInfo(of) })
}

func highestClock(id metric.ID, of nvml.ClockType) reader {
	return numberReader(id, func(d nvml.Device) (uint32, nvml.Return) { return d.GetMaxClockInfo(of) })
}

// performanceState reads P0 to P15. Any other number means that the driver does not know.
func performanceState(d nvml.Device) (nvml.Pstates, nvml.Return) {
	state, ret := d.GetPerformanceState()
	if ret == nvml.SUCCESS && (state < nvml.PSTATE_0 || state > nvml.PSTATE_15) {
		ret = nvml.ERROR_NOT_SUPPORTED
	}
	return state, ret
}

// readThrottle reads the reasons for lower clocks with the new call, and otherwise with the old one.
func readThrottle(d nvml.Device) (uint64, nvml.Return) {
	reasons, ret := d.GetCurrentClocksEventReasons()
	if ret == nvml.ERROR_FUNCTION_NOT_FOUND {
		return d.GetCurrentClocksThrottleReasons()
	}
	return reasons, ret
}

// inWatts converts the result of a call, in mW, to W.
func inWatts(call func(nvml.Device) (uint32, nvml.Return)) func(nvml.Device) (float64, nvml.Return) {
	return func(d nvml.Device) (float64, nvml.Return) {
		milliwatts, ret := call(d)
		return float64(milliwatts) / 1000, ret
	}
}
