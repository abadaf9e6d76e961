package wire

import (
	"strings"
	"testing"
)

func TestReasonNames(t *testing.T) {
	for bits, want := range map[uint64]string{
		0: "", ThrottleSWThermal | ThrottleGPUIdle: "gpu_idle sw_thermal_slowdown", 0x200: "0x200",
		0x1000 | 0x200 | ThrottleHWThermal: "hw_thermal_slowdown 0x1200",
	} {
		if got := strings.Join(ReasonNames(bits), " "); got != want {
			t.Errorf("%#x is %q, want %q", bits, got, want)
		}
	}
}
