//go:build linux && cgo && (amd64 || arm64)

package nvml

import (
	"math"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpmMetrics are the metrics that GPM measures between two samples.
var gpmMetrics = []struct {
	id     metric.ID
	number nvml.GpmMetricId
}{
	{metric.SMActive, nvml.GPM_METRIC_SM_UTIL},
	{metric.SMOccupancy, nvml.GPM_METRIC_SM_OCCUPANCY},
	{metric.TensorActive, nvml.GPM_METRIC_ANY_TENSOR_UTIL},
	{metric.DRAMActive, nvml.GPM_METRIC_DRAM_BW_UTIL},
}

// gpmWindow is the shortest time between two samples from which NVML computes metrics.
const gpmWindow = 100 * time.Millisecond

// gpm has the samples of a GPU or of an instance. They are kept when the GPUs are listed again, so that listing
// allocates no memory.
type gpm struct {
	library nvml.Interface

	mu         sync.Mutex // held by a reading
	last, next nvml.GpmSample
	taken      time.Time // time of the sample last; zero: there is none
	request    nvml.GpmMetricsGetType
	done       bool // request has the metrics up to last
}

// gpmKey names the GPU or the instance of a gpm.
type gpmKey struct {
	gpu      int // index in the Library's list
	instance int // GPU instance; wholeGPU: the whole GPU
}

const wholeGPU = -1

// gpmFor returns the samples for a GPU or an instance.
func (l *Library) gpmFor(key gpmKey) *gpm {
	l.gpmMu.Lock()
	defer l.gpmMu.Unlock()
	g, known := l.gpms[key]
	if !known {
		g = &gpm{library: l.nvml}
		if l.gpms == nil {
			l.gpms = map[gpmKey]*gpm{}
		}
		l.gpms[key] = g
	}
	return g
}

// freeSamples forgets all samples.
func (l *Library) freeSamples() {
	l.gpmMu.Lock()
	defer l.gpmMu.Unlock()
	for _, g := range l.gpms {
		g.freePair()
	}
	clear(l.gpms)
}

// sampleReader returns a Reader of the metrics between samples; take takes a sample.
func (g *gpm) sampleReader(take func(nvml.GpmSample) nvml.Return) driver.Reader {
	r := driver.Reader{Read: func(to *driver.Answer) error { return checkReturn(g.updateSample(take, to)) }}
	for _, m := range gpmMetrics {
		r.IDs = append(r.IDs, m.id)
	}
	return r
}

// updateSample takes a sample, and gives the metrics since the last one. The first sample gives no metrics. If the last
// sample is too recent, it takes none and repeats the last metrics.
func (g *gpm) updateSample(take func(nvml.GpmSample) nvml.Return, to *driver.Answer) nvml.Return {
	if !g.mu.TryLock() { // another reading hangs
		return nvml.ERROR_IN_USE
	}
	defer g.mu.Unlock()
	if time.Since(g.taken) >= gpmWindow {
		if ret := g.takeSample(take); ret != nvml.SUCCESS {
			g.taken, g.done = time.Time{}, false
			return ret
		}
	}
	if g.done {
		g.setMetrics(to)
	}
	return nvml.SUCCESS
}

// forgetSample drops the last sample, unless it is being taken.
func (g *gpm) forgetSample() {
	if g.mu.TryLock() {
		g.taken, g.done = time.Time{}, false
		g.mu.Unlock()
	}
}

// forgetfulReaders returns readers that forget the last sample when they find that the GPU is lost: the counters may
// start over before it is back.
func (g *gpm) forgetfulReaders(readers []driver.Reader) []driver.Reader {
	for i := range readers {
		read := readers[i].Read
		readers[i].Read = func(to *driver.Answer) error {
			err := read(to)
			if driver.KindOf(err) == driver.Lost {
				g.forgetSample()
			}
			return err
		}
	}
	return readers
}

func (g *gpm) takeSample(take func(nvml.GpmSample) nvml.Return) nvml.Return {
	if ret := g.allocPair(); ret != nvml.SUCCESS {
		return ret
	}
	if ret := take(g.next); ret != nvml.SUCCESS {
		return ret
	}
	first := g.taken.IsZero()
	g.last, g.next, g.taken = g.next, g.last, time.Now()
	if first {
		return nvml.SUCCESS
	}
	g.request.NumMetrics, g.request.Sample1, g.request.Sample2 = uint32(len(gpmMetrics)), g.next, g.last
	for i, m := range gpmMetrics {
		g.request.Metrics[i].MetricId = uint32(m.number)
	}
	ret := g.library.GpmMetricsGet(&g.request)
	g.done = ret == nvml.SUCCESS
	return ret
}

func (g *gpm) setMetrics(to *driver.Answer) {
	for i, m := range gpmMetrics {
		got := &g.request.Metrics[i]
		if ret := nvml.Return(got.NvmlReturn); ret != nvml.SUCCESS {
			to.Refuse(m.id, checkReturn(ret))
		} else {
			to.Set(m.id, roundPercent(got.Value)) // NaN stays NaN
		}
	}
}

// decimalBelow is the percentage below which a metric keeps its decimal: 0.4 % is not 0, but 92.4 % says no more than
// 92 %.
const decimalBelow = 10

// roundPercent drops the meaningless digits of a percentage.
func roundPercent(percent float64) float64 {
	if percent >= decimalBelow {
		return math.Round(min(percent, 100))
	}
	return percent
}

func (g *gpm) allocPair() nvml.Return {
	for _, sample := range []*nvml.GpmSample{&g.last, &g.next} {
		if *sample == nil {
			s, ret := g.library.GpmSampleAlloc()
			if ret != nvml.SUCCESS {
				return ret
			}
			*sample = s
		}
	}
	return nvml.SUCCESS
}

func (g *gpm) freePair() {
	for _, sample := range []nvml.GpmSample{g.last, g.next} {
		if sample != nil {
			_ = sample.Free() // the result makes no difference
		}
	}
	g.last, g.next = nil, nil
}

// gpmReader returns a Reader of GPM for the whole device.
func (d *device) gpmReader() driver.Reader {
	return d.gpm.optionalReader(d.withoutGPM,
		func(sample nvml.GpmSample) nvml.Return { return d.nvml.GpmSampleGet(sample) })
}

// optionalReader returns a Reader of the metrics between samples. It reads nothing if its first reading finds that
// there is no GPM.
func (g *gpm) optionalReader(without func() bool, take func(nvml.GpmSample) nvml.Return) driver.Reader {
	r := g.sampleReader(take)
	read, asked, none := r.Read, false, false
	r.Read = func(to *driver.Answer) error {
		if !asked {
			asked, none = true, without()
		}
		if none {
			return checkReturn(nvml.ERROR_NOT_SUPPORTED)
		}
		return read(to)
	}
	return r
}

// hopper is the first compute capability of GPUs with GPM.
const hopper = 9

// withoutGPM reports whether the device certainly has no GPM, as before Hopper and in MIG mode. NVML's own call for
// this question does not work in go-nvml v0.12: it passes the size of its argument where the driver expects the bare
// version.
func (d *device) withoutGPM() bool {
	if mode, _, ret := d.nvml.GetMigMode(); ret == nvml.SUCCESS && mode == nvml.DEVICE_MIG_ENABLE {
		return true
	}
	return d.beforeGPM()
}

// beforeGPM reports whether the GPU is too old for GPM, as a whole and in its instances.
func (d *device) beforeGPM() bool {
	capability, _, ret := d.nvml.GetCudaComputeCapability()
	return ret == nvml.SUCCESS && capability < hopper
}
