//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// fakeGPM is a GPU with GPM. Its metrics are the number of samples so far.
type fakeGPM struct {
	*mock.Device
	lib            *mock.Interface
	take, metric   nvml.Return
	samples, freed int
}

func newFakeGPM() *fakeGPM {
	f := &fakeGPM{Device: fullGPU(nvml.SUCCESS)}
	f.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) { return hopper, 0, nvml.SUCCESS }
	f.GpmSampleGetFunc = func(nvml.GpmSample) nvml.Return {
		f.samples++
		return f.take
	}
	f.lib = &mock.Interface{
		GpmSampleAllocFunc: func() (nvml.GpmSample, nvml.Return) {
			return &mock.GpmSample{FreeFunc: func() nvml.Return { f.freed++; return nvml.SUCCESS }}, nvml.SUCCESS
		},
		GpmMetricsGetFunc: func(r *nvml.GpmMetricsGetType) nvml.Return {
			for i := range r.NumMetrics {
				r.Metrics[i].Value, r.Metrics[i].NvmlReturn = float64(f.samples)+float64(r.Metrics[i].MetricId)*10,
					uint32(f.metric)
			}
			return nvml.SUCCESS
		},
		ShutdownFunc: func() nvml.Return { return nvml.SUCCESS },
	}
	return f
}

func TestGPM(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeGPM()
		l := &Library{nvml: f.lib}
		r := (&device{nvml: f, gpm: l.gpmFor(gpmKey{0, wholeGPU})}).gpmReader()
		read := func(what, want string, kind driver.ErrorKind) {
			t.Helper()
			var got driver.Answer
			err := r.Read(&got)
			for _, refused := range got.Refusals {
				err = refused.Err
			}
			if got.String() != want || (err == nil) != (kind == 0) || err != nil && driver.KindOf(err) != kind {
				t.Errorf("%s: got %v, %v, want %s", what, &got.Values, err, want)
			}
		}
		const second = `{"sm_active_percent":22,"sm_occupancy_percent":32,"tensor_active_percent":52,"dram_active_percent":100}`
		read("the first sample", "{}", 0)
		time.Sleep(time.Second)
		read("the second", second, 0)
		time.Sleep(gpmWindow / 2)
		read("too soon", second, 0)
		if n := len(f.GetCudaComputeCapabilityCalls()); f.samples != 2 || n != 1 {
			t.Errorf("%d samples, asked %d times for the capability", f.samples, n)
		}
		time.Sleep(time.Second)
		f.metric = nvml.ERROR_NO_PERMISSION
		read("without the rights", "{}", driver.Denied)
		time.Sleep(time.Second)
		f.metric, f.take = nvml.SUCCESS, nvml.ERROR_GPU_IS_LOST
		read("lost", "{}", driver.Lost)
		f.take = nvml.SUCCESS
		read("back", "{}", 0)
		if l.Shutdown(); f.freed != 2 {
			t.Errorf("%d samples freed, want 2", f.freed)
		}
	})
}

// The counters of a GPU that is back may have begun again, whichever call said that it was lost: no metric is of
// samples before and after.
func TestGPMOfALostGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeGPM()
		l := &Library{nvml: f.lib}
		d := &device{nvml: f, gpm: l.gpmFor(gpmKey{0, wholeGPU})}
		all := d.deviceReaders()
		read := func(id metric.ID) (got driver.Answer, err error) {
			for _, r := range all {
				if slices.Contains(r.IDs, id) {
					err = r.Read(&got)
				}
			}
			return got, err
		}
		for _, want := range []bool{false, true} {
			if got, err := read(metric.SMActive); err != nil || got.Has(metric.SMActive) != want {
				t.Fatalf("before: %v, %v", &got.Values, err)
			}
			time.Sleep(time.Second)
		}
		f.GetPowerUsageFunc = func() (uint32, nvml.Return) { return 0, nvml.ERROR_GPU_IS_LOST }
		if _, err := read(metric.Power); driver.KindOf(err) != driver.Lost {
			t.Fatal(err)
		}
		if got, err := read(metric.SMActive); err != nil || got.Has(metric.SMActive) {
			t.Errorf("back: %v, %v", &got.Values, err)
		}
	})
}

// Without GPM, no metric of it is read. If nobody knows, the sample tells.
func TestWithoutGPM(t *testing.T) {
	for name, tt := range map[string]struct {
		mig, capability int
		ret, take       nvml.Return
		samples         int
	}{
		"an old GPU":       {capability: hopper - 1},
		"in MIG mode":      {capability: hopper, mig: nvml.DEVICE_MIG_ENABLE},
		"an old driver":    {capability: hopper, take: nvml.ERROR_FUNCTION_NOT_FOUND, samples: 1},
		"capability fails": {ret: nvml.ERROR_UNKNOWN, take: nvml.ERROR_NOT_SUPPORTED, samples: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeGPM()
			f.take = tt.take
			f.GetMigModeFunc = func() (int, int, nvml.Return) { return tt.mig, 0, nvml.SUCCESS }
			f.GetCudaComputeCapabilityFunc = func() (int, int, nvml.Return) { return tt.capability, 0, tt.ret }
			var got driver.Answer
			err := (&device{nvml: f, gpm: (&Library{nvml: f.lib}).gpmFor(gpmKey{0, wholeGPU})}).gpmReader().Read(&got)
			if driver.KindOf(err) != driver.Absent || !got.Empty() || f.samples != tt.samples ||
				len(f.lib.GpmSampleAllocCalls()) != 2*tt.samples {
				t.Errorf("got %v, %v, %d samples", &got.Values, err, f.samples)
			}
		})
	}
}

// A metric that NVML could not compute is absent. The samples of a GPU are the same for all its devices, and others for
// an instance of it.
func TestGPMSamples(t *testing.T) {
	var a driver.Answer
	g := &gpm{}
	g.request.Metrics[0].Value = math.NaN()
	if g.setMetrics(&a); a.Has(metric.SMActive) || !a.Has(metric.DRAMActive) {
		t.Errorf("got %v", &a.Values)
	}
	for i, percent := range []float64{0.4, 9.96, 92.4, 100.2} { // a decimal says something below 10
		g.request.Metrics[i].Value = percent
	}
	const want = `{"sm_active_percent":0.4,"sm_occupancy_percent":10,"tensor_active_percent":92,"dram_active_percent":100}`
	if g.setMetrics(&a); a.String() != want {
		t.Errorf("got %v, want %s", &a.Values, want)
	}
	l := &Library{nvml: newFakeGPM().lib}
	whole := l.gpmFor(gpmKey{0, wholeGPU})
	if whole != l.gpmFor(gpmKey{0, wholeGPU}) || whole == l.gpmFor(gpmKey{0, 1}) ||
		whole == l.gpmFor(gpmKey{1, wholeGPU}) {
		t.Error("the samples are mixed up")
	}
}
