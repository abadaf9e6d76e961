package demo

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Versions on all nodes.
const (
	driver = "550.90.07"
	cuda   = "12.4"
)

// gpuProgram is a program on GPUs, with its user. It runs from since to until; until zero means all the time.
type gpuProgram struct {
	load         func(now time.Duration, r float64) site.Load
	user, job    string
	since, until time.Duration
	command      string
	directory    string  // in the home directory
	ranks        int     // number of processes, one on each of its GPUs
	memory       float64 // share of the GPU's memory
}

// isActive reports whether the program runs at now. A program that ends comes back in the next round of the story.
func (u *gpuProgram) isActive(now time.Duration) bool {
	return u != nil && (u.until == 0 || isWithin(now, u.since, u.until))
}

// gpuFaults are the faults of one GPU, as bits.
type gpuFaults uint8

const (
	overheats gpuFaults = 1 << iota // thermal throttling
	lags                            // its process waits for data
	corrupts                        // uncorrectable ECC errors
	brakes                          // hardware power brake
	vanishes                        // falls off the bus
	unlinks                         // loses an NVLink
)

// The times of fates, within the story. What is wrong at the start of a Demo stays so for ten minutes: users look at it
// beside a document.
const (
	heatBegins, heatFull, heatEnds = 5 * time.Second, 35 * time.Second, 12 * time.Minute
	lagBegins, lagEnds             = 3 * time.Second, 13 * time.Minute
	lostAt                         = 70 * time.Second // once: it stays lost
	unlinkedAt                     = 40 * time.Second // once: it stays down
	brakeBegins, brakeEnds         = 85 * time.Second, 12 * time.Minute
)

// isLost reports whether the GPU has fallen off the bus.
func (s *slot) isLost(now time.Duration) bool { return s.fate&vanishes != 0 && now >= lostAt }

// heatProgress returns how far the overheating has progressed, from 0 to 1.
func heatProgress(now time.Duration) float64 {
	if !isWithin(now, heatBegins, heatEnds+heatFull-heatBegins) {
		return 0
	}
	at := now % cycle
	if at > heatEnds {
		return 1 - float64(at-heatEnds)/float64(heatFull-heatBegins)
	}
	return min(float64(at-heatBegins)/float64(heatFull-heatBegins), 1)
}

// The driver throttles from a heat of throttlesAt upwards. It does not while the GPU is cooler than resumes, as after a
// pause.
const (
	throttlesAt = 0.9
	resumes     = 84 // °C
)

// isThrottled reports whether the driver throttles the GPU in one slot because of heat.
func (w *world) isThrottled(h *host, gpu int, now time.Duration) bool {
	return h.gpus[gpu].fate&overheats != 0 && heatProgress(now) >= throttlesAt && w.gpuTemperature(h, gpu, now) >= resumes
}

// loadOf returns the load of the GPU in one slot. The GPUs of a job wait for each other, so their loads vary together.
func (w *world) loadOf(h *host, gpu int, now time.Duration) site.Load {
	s := &h.gpus[gpu]
	if !w.hasProcess(h, gpu, now) || s.isLost(now) || s.stoppedAt(now) {
		return site.Load{}
	}
	second := int64(now / time.Second)
	if w.hangsAt(h, now) {
		if s.fate&lags != 0 {
			return site.Load{}
		}
		return site.SpinningLoad
	}
	l := s.use.load(now, 0.6*w.fixedNoise('L', 0, len(s.use.command), second)+0.4*w.fixedNoise('l', h.number, gpu, second))
	switch {
	case s.fate&lags != 0 && isWithin(now, lagBegins, lagEnds) && !site.IsCheckpointing(now):
		return site.Load{Util: 0.19 + 0.1*l.Memory, Work: 0.3, Memory: 0.12}
	case s.fate&brakes != 0 && isWithin(now, brakeBegins, brakeEnds):
		l.Work *= 0.5
	}
	return l
}

// sampleGPU returns the driver's report for the GPU in one slot.
func (w *world) sampleGPU(h *host, gpu int, now time.Duration) wire.GPU {
	m, s := h.model, &h.gpus[gpu]
	if s.isLost(now) {
		return wire.GPU{Index: gpu, Lost: "GPU is lost", LostID: wire.LostFellOff}
	}
	l := w.loadOf(h, gpu, now)
	throttle, clock := w.clockState(h, gpu, now, l)
	if throttle&wire.ThrottleHWThermal != 0 {
		l.Work *= 0.72 // the same kernels take longer, so the utilization stays
	}
	power := m.Idle + (0.97*m.Limit-m.Idle)*l.Work
	g := wire.GPU{Index: gpu}
	g.Values.Set(metric.Util, float64(toPercent(l.Util)))
	g.Values.Set(metric.MemUtil, float64(toPercent(l.Memory)))
	g.Values.Set(metric.MemoryUsed, float64(w.memoryUsed(h, gpu, now)))
	g.Values.Set(metric.Temperature, math.Floor(w.gpuTemperature(h, gpu, now)))
	g.Values.Set(metric.Power, power)
	g.Values.Set(metric.PowerLimit, m.Limit)
	g.Values.Set(metric.SMClock, float64(clock))
	g.Values.Set(metric.MemClock, float64(m.Mem))
	g.Values.Set(metric.Throttle, float64(throttle))
	g.Values.Set(metric.ECCUncorrected, 0)
	if s.fate&corrupts != 0 {
		g.Values.Set(metric.ECCUncorrected, 2)
	}
	w.fillMetrics(&g.Values, h, gpu, now, l)
	return g
}

func toPercent(share float64) int { return int(math.Round(100 * min(max(share, 0), 1))) }

// If the work is more than capped, the power limit keeps the SM clock between cappedLow and cappedHigh of its maximum.
const (
	capped                = 0.86
	cappedLow, cappedHigh = 0.81, 0.885
	clockStep             = 15 // MHz
)

// clockState returns the reasons for reduced clocks, and the SM clock.
func (w *world) clockState(h *host, gpu int, now time.Duration, l site.Load) (throttle uint64, clock int) {
	m, s := h.model, &h.gpus[gpu]
	switch {
	case l.Work == 0:
		return wire.ThrottleGPUIdle, m.SMIdle
	case w.isThrottled(h, gpu, now):
		jitter := int(3*w.fixedNoise('j', h.number, gpu, int64(now/time.Second))) - 1
		return wire.ThrottleHWThermal | wire.ThrottleHWSlowdown, m.SMMax*61/100 + clockStep*jitter
	case s.fate&brakes != 0 && isWithin(now, brakeBegins, brakeEnds):
		return wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown, m.SMMax / 2
	case l.Work > capped:
		share := cappedHigh - (cappedHigh-cappedLow)*w.fixedNoise('p', h.number, gpu, int64(now/(3*time.Second)))
		return wire.ThrottleSWPowerCap, int(share*float64(m.SMMax)) / clockStep * clockStep
	}
	return 0, m.SMMax
}

// atFullWork is the least work of a training job between its checkpoints.
const atFullWork = 0.85

// gpuTemperature returns a temperature that follows the work of the last minute.
func (w *world) gpuTemperature(h *host, gpu int, now time.Duration) float64 {
	const step, steps, keep = 2 * time.Second, 24, 0.92
	sum, weights, weight := 0.0, 0.0, 1.0
	for i := range steps {
		sum += weight * w.loadOf(h, gpu, now-time.Duration(i)*step).Work
		weights += weight
		weight *= keep
	}
	work := sum / weights
	t := 31 + 3*w.fixedNoise('c', h.number, gpu, 0) + (33+5*w.fixedNoise('h', h.number, gpu, 0))*work
	if h.gpus[gpu].fate&overheats != 0 {
		hot := float64(h.model.Slowdown) + w.fixedNoise('t', h.number, gpu, int64(now/time.Second))
		t += (hot - t) * heatProgress(now) * min(work/atFullWork, 1)
	}
	return t
}

// memoryUsed returns the memory in use, in bytes.
func (w *world) memoryUsed(h *host, gpu int, now time.Duration) uint64 {
	u := h.gpus[gpu].use
	if !w.hasProcess(h, gpu, now) {
		return 4 << 20
	}
	share := u.memory + 0.04*w.fixedNoise('m', h.number, gpu, 0) + 0.002*w.fixedNoise('n', h.number, gpu,
		int64(now/(20*time.Second)))
	return uint64(share*float64(h.model.Memory)) << 20
}
