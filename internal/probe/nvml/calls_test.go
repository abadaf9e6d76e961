//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// calls counts the calls that a mock has got.
func calls(of any) (n int) {
	v := reflect.ValueOf(of)
	for i := range v.NumMethod() {
		if strings.HasSuffix(v.Type().Method(i).Name, "Calls") {
			n += v.Method(i).Call(nil)[0].Len()
		}
	}
	return n
}

// readPace reads the metrics of one pace, from readers that are not idle, and returns the number of calls. Readers
// without a value become idle, as in the probe.
func readPace(readers []driver.Reader, idle []bool, pace metric.Pace, mocks ...any) (n int) {
	count := func() (n int) {
		for _, m := range mocks {
			n += calls(m)
		}
		return n
	}
	before := count()
	for i, r := range readers {
		if r.IDs[0].Row().Pace == pace && !idle[i] {
			idle[i] = driver.KindOf(r.Read(&driver.Answer{})) == driver.Absent
		}
	}
	return count() - before
}

// The number of calls for a GPU is the cost of a report: absent values are requested in the first report only.
func TestCallsOfAReport(t *testing.T) {
	for name, tt := range map[string]struct {
		change            func(*fakeGPM)
		first, fast, slow int
	}{
		"H100": {func(*fakeGPM) {}, 25, 22, 35},
		"A100": {func(f *fakeGPM) {
			f.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) { return 8, 0, nvml.SUCCESS }
			absent := func() (uint32, uint32, nvml.Return) { return 0, 0, nvml.ERROR_NOT_SUPPORTED }
			f.GetJpgUtilizationFunc, f.GetOfaUtilizationFunc = absent, absent
		}, 22, 18, 35},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeGPM()
				f.GetFieldValuesFunc = func([]nvml.FieldValue) nvml.Return { return nvml.SUCCESS }
				tt.change(f)
				readers := (&device{nvml: f, driver: 590,
					gpm: (&Library{nvml: f.lib}).gpmFor(gpmKey{0, wholeGPU})}).deviceReaders()
				idle := make([]bool, len(readers))
				first := readPace(readers, idle, metric.Fast, f.Device, f.lib)
				time.Sleep(time.Second)
				fast, slow := readPace(readers, idle, metric.Fast, f.Device, f.lib),
					readPace(readers, idle, metric.Slow, f.Device, f.lib)
				t.Logf("%d calls in the first report, %d in each later one, %d more every %d s", first, fast, slow,
					metric.SlowSeconds)
				if first != tt.first || fast != tt.fast || slow != tt.slow {
					t.Errorf("want %d, %d and %d: give a new reader the Pace at which its values change, add its "+
						"calls here, and if each report has them to internal/probe/real_readings_test.go and "+
						"docs/SCALE.md", tt.first, tt.fast, tt.slow)
				}
			})
		})
	}
}
