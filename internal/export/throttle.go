package export

import "github.com/nvnodetop/nvnodetop/internal/wire"

// throttleBits names the bits in the order of nvml.h.
var throttleBits = []struct {
	bit  uint64
	name string
}{
	{wire.ThrottleGPUIdle, "gpu_idle"},
	{wire.ThrottleAppClocks, "applications_clocks_setting"},
	{wire.ThrottleSWPowerCap, "sw_power_cap"},
	{wire.ThrottleHWSlowdown, "hw_slowdown"},
	{wire.ThrottleSyncBoost, "sync_boost"},
	{wire.ThrottleSWThermal, "sw_thermal_slowdown"},
	{wire.ThrottleHWThermal, "hw_thermal_slowdown"},
	{wire.ThrottleHWPowerBrake, "hw_power_brake_slowdown"},
	{wire.ThrottleDisplay, "display_clock_setting"},
}

func throttleNames(bits uint64) []string {
	var out []string
	for _, b := range throttleBits {
		if bits&b.bit != 0 {
			out = append(out, b.name)
		}
	}
	return out
}
