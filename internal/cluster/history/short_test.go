package history

import (
	"math"
	"testing"
)

func TestShort(t *testing.T) {
	for v := range 2049 {
		if got := toShort(float32(v)).toFloat(); got != float32(v) {
			t.Errorf("%d became %v", v, got)
		}
	}
	for v := 0.002; v < 1<<53; v *= 1.37 {
		if got := float64(toShort(float32(v)).toFloat()); math.Abs(got-v) > v/2000 {
			t.Errorf("%v became %v", v, got)
		}
	}
	for v, want := range map[float32]float32{0: 0, 0.0005: 0, 1 << 53: 1 << 53, 2047.9: 2048} {
		if got := toShort(v).toFloat(); got != want {
			t.Errorf("%v became %v, want %v", v, got, want)
		}
	}
	for _, v := range []float32{Gap, -1, float32(math.Inf(-1))} {
		if got := toShort(v).toFloat(); got == got {
			t.Errorf("%v became %v, want a gap", v, got)
		}
	}
	if got := toShort(math.MaxFloat32).toFloat(); got < 1<<53 {
		t.Errorf("the largest number became %v", got)
	}
}
