package export

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// object is the members of a JSON object, in order, without its braces.
type object []byte

// add adds a member, unless it is an empty string, false, or has no JSON form, as NaN.
func (o object) add(key string, value any) object {
	if value == "" || value == false {
		return o
	}
	before := o
	if len(o) > 0 {
		o = append(o, ',')
	}
	o = append(strconv.AppendQuote(o, key), ':')
	if v, whole := asInt(value); whole { // most members are; an encoder for each takes half of the time of a document
		return strconv.AppendInt(o, v, 10)
	}
	text := bytes.NewBuffer(o)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return before
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'})
}

// asInt returns a whole number that a float64 holds exactly.
func asInt(value any) (v int64, whole bool) {
	switch x := value.(type) {
	case int:
		return int64(x), true
	case float64:
		v = int64(x)
		return v, float64(v) == x && v > -1<<53 && v < 1<<53
	}
	return 0, false
}

// numbers adds the known numbers of one scope.
func (o object) numbers(s metric.Scope, get func(metric.ID) (float64, bool)) object {
	for id := range metric.All(s) {
		v, known := get(id)
		switch {
		case !known:
		case id == metric.NVLinkUp:
			o = o.add(id.Row().Key, bitNumbers(uint64(v)))
		case id != metric.Throttle:
			o = o.add(id.Row().Key, v)
		case v != 0: // absent when the clocks are not reduced
			o = o.add(id.Row().Key, throttleNames(uint64(v)))
		}
	}
	return o
}

// MarshalJSON adds the braces.
func (o object) MarshalJSON() ([]byte, error) {
	return append(append([]byte{'{'}, o...), '}'), nil
}

// bitNumbers lists the numbers of the bits that are set.
func bitNumbers(set uint64) []int {
	numbers := []int{}
	for ; set != 0; set &= set - 1 {
		numbers = append(numbers, bits.TrailingZeros64(set))
	}
	return numbers
}

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

// throttleNames names the bits. Those that a newer driver has come last, as one number: "0x200".
func throttleNames(reasons uint64) []string {
	var out []string
	for _, b := range throttleBits {
		if reasons&b.bit != 0 {
			out = append(out, b.name)
			reasons &^= b.bit
		}
	}
	if reasons != 0 {
		out = append(out, "0x"+strconv.FormatUint(reasons, 16))
	}
	return out
}
