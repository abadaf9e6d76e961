package export

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// object is the members of a JSON object, in their order, without its braces.
type object []byte

// add adds a member, unless it is an empty text, false, or nothing that JSON can say, as NaN is.
func (o object) add(key string, value any) object {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if value == "" || value == false || e.Encode(value) != nil {
		return o
	}
	if len(o) > 0 {
		o = append(o, ',')
	}
	return fmt.Appendf(o, "%q:%s", key, text.Bytes())
}

// numbers adds the numbers of one scope that are known.
func (o object) numbers(s metric.Scope, get func(metric.ID) (float64, bool)) object {
	for id := range metric.All(s) {
		v, known := get(id)
		switch {
		case !known:
		case id != metric.Throttle:
			o = o.add(id.Row().Key, v)
		case v != 0: // left out when nothing slows the GPU
			o = o.add(id.Row().Key, throttleNames(uint64(v)))
		}
	}
	return o
}

// MarshalJSON adds the braces.
func (o object) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "{%s}", []byte(o)), nil }

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
