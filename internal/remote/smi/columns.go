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

// columns are the fields that have a metric, but for those of leftOut (columns_test.go). A field that the driver's
// nvidia-smi does not know is left out on that node.
var columns = query{
	{"utilization.gpu", metric.Util, parseNumber(1)},
	{"utilization.memory", metric.MemUtil, parseNumber(1)},
	{"utilization.encoder", metric.Encoder, parseNumber(1)},
	{"utilization.decoder", metric.Decoder, parseNumber(1)},
	{"memory.used", metric.MemoryUsed, parseNumber(1 << 20)},
	{"memory.total", metric.MemoryTotal, parseNumber(1 << 20)},
	{"temperature.gpu", metric.Temperature, parseNumber(1)},
	{"temperature.memory", metric.MemoryTemperature, parseNumber(1)},
	{"fan.speed", metric.Fan, parseNumber(1)},
	{"power.draw", metric.Power, parseNumber(1)},
	{"enforced.power.limit", metric.PowerLimit, parseNumber(1)},
	{"power.default_limit", metric.PowerLimitDefault, parseNumber(1)},
	{"power.max_limit", metric.PowerLimitMax, parseNumber(1)},
	{"pstate", metric.PerformanceState, parsePState},
	{"clocks.sm", metric.SMClock, parseNumber(1)},
	{"clocks.max.sm", metric.SMClockMax, parseNumber(1)},
	{"clocks.mem", metric.MemClock, parseNumber(1)},
	{"clocks.max.mem", metric.MemClockMax, parseNumber(1)},
	{"clocks.gr", metric.GraphicsClock, parseNumber(1)},
	{"clocks.max.gr", metric.GraphicsClockMax, parseNumber(1)},
	{"clocks.video", metric.VideoClock, parseNumber(1)},
	{"clocks_throttle_reasons.active", metric.Throttle, parseBitmask},
	{"clocks_event_reasons.active", metric.Throttle, parseBitmask},
	{"pcie.link.gen.current", metric.PCIeGen, parseNumber(1)},
	{"pcie.link.gen.max", metric.PCIeGenMax, parseNumber(1)},
	{"pcie.link.width.current", metric.PCIeWidth, parseNumber(1)},
	{"pcie.link.width.max", metric.PCIeWidthMax, parseNumber(1)},
	{"ecc.mode.current", metric.ECCMode, parseSwitch},
	{"ecc.errors.uncorrected.volatile.total", metric.ECCUncorrected, parseNumber(1)},
	{"ecc.errors.corrected.volatile.total", metric.ECCCorrected, parseNumber(1)},
	{"ecc.errors.uncorrected.aggregate.total", metric.ECCUncorrectedAggregate, parseNumber(1)},
	{"ecc.errors.corrected.aggregate.total", metric.ECCCorrectedAggregate, parseNumber(1)},
	{"retired_pages.single_bit_ecc.count", metric.RetiredCorrectable, parseNumber(1)},
	{"retired_pages.double_bit.count", metric.RetiredUncorrectable, parseNumber(1)},
	{"retired_pages.pending", metric.RetiredPending, parseSwitch},
	{"remapped_rows.correctable", metric.RemappedCorrectable, parseNumber(1)},
	{"remapped_rows.uncorrectable", metric.RemappedUncorrectable, parseNumber(1)},
	{"remapped_rows.pending", metric.RemapPending, parseSwitch},
	{"remapped_rows.failure", metric.RemapFailed, parseSwitch},
	{"gpu_recovery_action", metric.RecoveryAction, parseRecovery},
	{"persistence_mode", metric.PersistenceMode, parseSwitch},
}

// parseNumber returns a function that reads a number in one of NVML's units.
func parseNumber(unit float64) func(string) (float64, bool) {
	return func(cell string) (float64, bool) {
		x, err := strconv.ParseFloat(cell, 64)
		return x * unit, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
}

// parsePState reads a performance state, such as "P0".
func parsePState(cell string) (float64, bool) {
	digits, ok := strings.CutPrefix(cell, "P")
	n, err := strconv.Atoi(digits)
	return float64(n), ok && err == nil
}

// parseBitmask reads a bitmask, such as "0x0000000000000001".
func parseBitmask(cell string) (float64, bool) {
	n, err := strconv.ParseUint(cell, 0, 53)
	return float64(n), err == nil
}

func parseSwitch(cell string) (float64, bool) {
	switch cell {
	case "Enabled", "Yes", "Active", "1":
		return 1, true
	case "Disabled", "No", "Not Active", "0":
		return 0, true
	}
	return 0, false
}

// parseRecovery reads a recovery action, such as "Drain and Reset", and returns NVML's number for it.
func parseRecovery(cell string) (float64, bool) {
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
