package smi

import (
	"math"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// column is a field of nvidia-smi and its metric.
type column struct {
	field string
	id    metric.ID
	parse func(string) (float64, bool)
}

// columns are all fields with a metric. A field that the driver's nvidia-smi does not know is left out on that node.
var columns = query{
	{"utilization.gpu", metric.Util, number(1)},
	{"utilization.memory", metric.MemUtil, number(1)},
	{"utilization.encoder", metric.Encoder, number(1)},
	{"utilization.decoder", metric.Decoder, number(1)},
	{"memory.used", metric.MemoryUsed, number(1 << 20)},
	{"memory.total", metric.MemoryTotal, number(1 << 20)},
	{"temperature.gpu", metric.Temperature, number(1)},
	{"temperature.memory", metric.MemoryTemperature, number(1)},
	{"fan.speed", metric.Fan, number(1)},
	{"power.draw", metric.Power, number(1)},
	{"enforced.power.limit", metric.PowerLimit, number(1)},
	{"power.default_limit", metric.PowerLimitDefault, number(1)},
	{"power.max_limit", metric.PowerLimitMax, number(1)},
	{"pstate", metric.PerformanceState, state},
	{"clocks.sm", metric.SMClock, number(1)},
	{"clocks.max.sm", metric.SMClockMax, number(1)},
	{"clocks.mem", metric.MemClock, number(1)},
	{"clocks.max.mem", metric.MemClockMax, number(1)},
	{"clocks.gr", metric.GraphicsClock, number(1)},
	{"clocks.max.gr", metric.GraphicsClockMax, number(1)},
	{"clocks.video", metric.VideoClock, number(1)},
	{"clocks_throttle_reasons.active", metric.Throttle, bits},
	{"clocks_event_reasons.active", metric.Throttle, bits},
	{"pcie.link.gen.current", metric.PCIeGen, number(1)},
	{"pcie.link.gen.max", metric.PCIeGenMax, number(1)},
	{"pcie.link.width.current", metric.PCIeWidth, number(1)},
	{"pcie.link.width.max", metric.PCIeWidthMax, number(1)},
	{"ecc.mode.current", metric.ECCMode, on},
	{"ecc.errors.uncorrected.volatile.total", metric.ECCUncorrected, number(1)},
	{"ecc.errors.corrected.volatile.total", metric.ECCCorrected, number(1)},
	{"ecc.errors.uncorrected.aggregate.total", metric.ECCUncorrectedAggregate, number(1)},
	{"ecc.errors.corrected.aggregate.total", metric.ECCCorrectedAggregate, number(1)},
	{"retired_pages.single_bit_ecc.count", metric.RetiredCorrectable, number(1)},
	{"retired_pages.double_bit.count", metric.RetiredUncorrectable, number(1)},
	{"retired_pages.pending", metric.RetiredPending, on},
	{"remapped_rows.correctable", metric.RemappedCorrectable, number(1)},
	{"remapped_rows.uncorrectable", metric.RemappedUncorrectable, number(1)},
	{"remapped_rows.pending", metric.RemapPending, on},
	{"remapped_rows.failure", metric.RemapFailed, on},
	{"gpu_recovery_action", metric.RecoveryAction, recovery},
	{"persistence_mode", metric.PersistenceMode, on},
}

// number reads a number in a unit of NVML's.
func number(unit float64) func(string) (float64, bool) {
	return func(cell string) (float64, bool) {
		x, err := strconv.ParseFloat(cell, 64)
		return x * unit, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
}

// state reads a performance state, as "P0".
func state(cell string) (float64, bool) {
	digits, ok := strings.CutPrefix(cell, "P")
	n, err := strconv.Atoi(digits)
	return float64(n), ok && err == nil
}

// bits reads a bitmask, as "0x0000000000000001".
func bits(cell string) (float64, bool) {
	n, err := strconv.ParseUint(cell, 0, 53)
	return float64(n), err == nil
}

// on reads a switch.
func on(cell string) (float64, bool) {
	switch cell {
	case "Enabled", "Yes", "Active", "1":
		return 1, true
	case "Disabled", "No", "Not Active", "0":
		return 0, true
	}
	return 0, false
}

// recovery reads a recovery action, as "Drain and Reset", into NVML's number of it.
func recovery(cell string) (float64, bool) {
	words := strings.ToLower(cell)
	has := func(word string) bool { return strings.Contains(words, word) }
	switch {
	case words == "none":
		return 0, true
	case has("drain") && has("reset"):
		return 4, true
	case has("drain"):
		return 3, true
	case has("imex"):
		return 5, true
	case has("reboot"):
		return 2, true
	case has("reset") && !has("requires"):
		return 1, true
	}
	return 0, false
}
