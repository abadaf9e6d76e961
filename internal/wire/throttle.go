package wire

import "strconv"

// Bits of metric.Throttle, as nvml.h names them (nvmlClocksEventReason…).
const (
	ThrottleGPUIdle      = 0x1
	ThrottleAppClocks    = 0x2
	ThrottleSWPowerCap   = 0x4
	ThrottleHWSlowdown   = 0x8
	ThrottleSyncBoost    = 0x10
	ThrottleSWThermal    = 0x20
	ThrottleHWThermal    = 0x40
	ThrottleHWPowerBrake = 0x80
	ThrottleDisplay      = 0x100
)

// Reason is a bit of metric.Throttle with its name in documents, which is stable.
type Reason struct {
	Bit  uint64
	Name string
}

// Reasons are the bits that have names, in the order of nvml.h. Callers must not change the list.
var Reasons = []Reason{
	{ThrottleGPUIdle, "gpu_idle"},
	{ThrottleAppClocks, "applications_clocks_setting"},
	{ThrottleSWPowerCap, "sw_power_cap"},
	{ThrottleHWSlowdown, "hw_slowdown"},
	{ThrottleSyncBoost, "sync_boost"},
	{ThrottleSWThermal, "sw_thermal_slowdown"},
	{ThrottleHWThermal, "hw_thermal_slowdown"},
	{ThrottleHWPowerBrake, "hw_power_brake_slowdown"},
	{ThrottleDisplay, "display_clock_setting"},
}

// ReasonNames names the bits; for 0 there are no names. Bits added by a newer driver come last, as one number: "0x200".
func ReasonNames(bits uint64) []string {
	out := []string{}
	for _, r := range Reasons {
		if bits&r.Bit != 0 {
			out = append(out, r.Name)
			bits &^= r.Bit
		}
	}
	if bits != 0 {
		out = append(out, "0x"+strconv.FormatUint(bits, 16))
	}
	return out
}
