//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/probe"
)

// fakeGPM is a GPU with GPM, whose metrics are the number of samples so far.
type fakeGPM struct {
	*mock.Device
	lib                   *mock.Interface
	support, take, metric nvml.Return
	asked, samples, freed int
}

func newFakeGPM() *fakeGPM {
	f := &fakeGPM{Device: fullGPU(nvml.SUCCESS)}
	f.GpmQueryDeviceSupportFunc = func() (nvml.GpmSupport, nvml.Return) {
		f.asked++
		return nvml.GpmSupport{IsSupportedDevice: 1}, f.support
	}
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
				r.Metrics[i].Value, r.Metrics[i].NvmlReturn = float64(f.samples)+float64(r.Metrics[i].MetricId)*10, uint32(f.metric)
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
		r := (&device{nvml: f, gpm: l.gpm(gpmKey{0, wholeGPU})}).gpmReader()
		read := func(what, want string, kind probe.ErrorKind) {
			t.Helper()
			var got probe.Answer
			err := r.Read(&got)
			for _, refused := range got.Refusals {
				err = refused.Err
			}
			if got.String() != want || (err == nil) != (kind == 0) || err != nil && probe.KindOf(err) != kind {
				t.Errorf("%s: got %v, %v, want %s", what, &got.Values, err, want)
			}
		}
		const second = `{"sm_active_percent":22,"sm_occupancy_percent":32,"tensor_active_percent":52,"dram_active_percent":100}`
		read("the first sample", "{}", 0)
		time.Sleep(time.Second)
		read("the second", second, 0)
		time.Sleep(gpmWindow / 2)
		read("too soon", second, 0)
		if f.samples != 2 || f.asked != 1 {
			t.Errorf("%d samples, asked %d times whether there is GPM", f.samples, f.asked)
		}
		time.Sleep(time.Second)
		f.metric = nvml.ERROR_NO_PERMISSION
		read("without the rights", "{}", probe.Denied)
		time.Sleep(time.Second)
		f.metric, f.take = nvml.SUCCESS, nvml.ERROR_GPU_IS_LOST
		read("lost", "{}", probe.Lost)
		f.take = nvml.SUCCESS
		read("back", "{}", 0)
		if l.Shutdown(); f.freed != 2 {
			t.Errorf("%d samples freed, want 2", f.freed)
		}
	})
}

// Without GPM no sample is taken, and NVML is asked once.
func TestWithoutGPM(t *testing.T) {
	for name, change := range map[string]func(*fakeGPM){
		"an old GPU":    func(f *fakeGPM) { f.support = nvml.ERROR_NOT_SUPPORTED },
		"an old driver": func(f *fakeGPM) { f.support = nvml.ERROR_FUNCTION_NOT_FOUND },
		"in MIG mode": func(f *fakeGPM) {
			f.GetMigModeFunc = func() (int, int, nvml.Return) { return nvml.DEVICE_MIG_ENABLE, 0, nvml.SUCCESS }
		},
		"not supported": func(f *fakeGPM) {
			f.GpmQueryDeviceSupportFunc = func() (nvml.GpmSupport, nvml.Return) { f.asked++; return nvml.GpmSupport{}, nvml.SUCCESS }
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeGPM()
			change(f)
			r := (&device{nvml: f, gpm: (&Library{nvml: f.lib}).gpm(gpmKey{0, wholeGPU})}).gpmReader()
			for range 2 {
				var got probe.Answer
				if err := r.Read(&got); probe.KindOf(err) != probe.Absent || !got.Empty() {
					t.Errorf("got %v, %v", &got.Values, err)
				}
			}
			if f.asked > 1 || f.samples > 0 || len(f.lib.GpmSampleAllocCalls()) > 0 {
				t.Errorf("asked %d times, %d samples", f.asked, f.samples)
			}
		})
	}
}

// A metric that NVML could not compute is absent. The samples of a GPU are the same for all its devices, and others for an instance of it.
func TestGPMSamples(t *testing.T) {
	var a probe.Answer
	g := &gpm{}
	g.request.Metrics[0].Value = math.NaN()
	if g.answer(&a); a.Has(metric.SMActive) || !a.Has(metric.DRAMActive) {
		t.Errorf("got %v", &a.Values)
	}
	l := &Library{nvml: newFakeGPM().lib}
	whole := l.gpm(gpmKey{0, wholeGPU})
	if whole != l.gpm(gpmKey{0, wholeGPU}) || whole == l.gpm(gpmKey{0, 1}) || whole == l.gpm(gpmKey{1, wholeGPU}) {
		t.Error("the samples are mixed up")
	}
}
