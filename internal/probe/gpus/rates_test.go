package gpus

import (
	"math"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// start is when the first counter is read.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestRates(t *testing.T) {
	var r rates
	nan := math.NaN()
	for i, tt := range []struct {
		at   time.Duration
		n    uint64
		want float64
	}{
		{0, 1 << 63, nan}, // the first reading
		{2 * time.Second, 1<<63 + 4096, 2048},
		{2400 * time.Millisecond, 1<<63 + 8192, 2048}, // too soon
		{3 * time.Second, 1<<63 + 12288, 8192},        // since the last reading that succeeded
		{4 * time.Second, 1<<63 + 12288, 0},
		{5 * time.Second, 100, nan}, // it went backwards
		{5300 * time.Millisecond, 200, nan},
		{6 * time.Second, 300, 200},
		{66 * time.Second, 900, 10},
	} {
		got := r.ratePerSecond(driver.Counter{ID: metric.PCIeTX, N: tt.n}, start.Add(tt.at), start.Add(tt.at))
		if got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("reading %d: %v bytes/s, want %v", i, got, tt.want)
		}
	}
	if got := r.ratePerSecond(driver.Counter{ID: metric.PCIeRX, N: 1e6}, start, start.Add(67*time.Second)); got == got {
		t.Errorf("the first reading of another counter gives %v", got)
	}
	if r.forgetCounters(); r.ratePerSecond(driver.Counter{ID: metric.PCIeTX, N: 2000}, start,
		start.Add(68*time.Second)) == 0 {
		t.Error("a counter is compared with one from before the GPU was lost")
	}
}

// Nobody knows at which moment of a long call the driver read a counter. So there is no rate up to this call, and none
// from it over a short time.
func TestRatesOfSlowReadings(t *testing.T) {
	var r rates
	nan := math.NaN()
	for i, tt := range []struct {
		began, ended time.Duration
		n            uint64 // 1000 per second, at either end of the call
		want         float64
	}{
		{0, 0, 0, nan},
		{900 * time.Millisecond, time.Second, 1000, 1000},
		{2 * time.Second, 8 * time.Second, 2000, nan}, // read when the call began
		{8500 * time.Millisecond, 8500 * time.Millisecond, 8500, nan},
		{9 * time.Second, 9 * time.Second, 9000, 1000},
		{10 * time.Second, 16 * time.Second, 16000, nan}, // read when it ended
		{76 * time.Second, 76 * time.Second, 76000, 1000},
	} {
		if got := r.ratePerSecond(driver.Counter{ID: metric.NVLinkTX, N: tt.n}, start.Add(tt.began),
			start.Add(tt.ended)); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("reading %d: %v bytes/s, want %v", i, got, tt.want)
		}
	}
}
