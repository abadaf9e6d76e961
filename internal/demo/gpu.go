package demo

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// model is a kind of GPU.
type model struct {
	name        string
	memory      uint64 // MiB
	smMax, mem  int    // MHz
	smIdle      int
	limit, idle float64 // W
	slowdown    int     // °C
}

// What all nodes run.
const (
	driver = "550.90.07"
	cuda   = "12.4"
)

var (
	h100 = &model{name: "NVIDIA H100 80GB HBM3", memory: 81559, smMax: 1980, mem: 2619, smIdle: 345, limit: 700, idle: 72, slowdown: 87}
	a100 = &model{name: "NVIDIA A100-SXM4-80GB", memory: 81920, smMax: 1410, mem: 1593, smIdle: 210, limit: 400, idle: 58, slowdown: 92}
)

// use is what somebody does with GPUs, from since to until (zero: on and on).
type use struct {
	load         func(now time.Duration, r float64) load
	user, job    string
	since, until time.Duration
	command      string
	memory       float64 // share of the GPU's
}

// active reports whether the program runs at now. One that ends comes back with the next run of the story.
func (u *use) active(now time.Duration) bool {
	return u != nil && (u.until == 0 || during(now, u.since, u.until))
}

// load is how busy a program keeps a GPU.
type load struct {
	util   float64 // share of time with a kernel resident
	work   float64 // share of the power that it could draw
	memory float64 // share of time with the memory bus in use
}

// checkpoint is how often the training job writes one, and how long all GPUs then wait.
const (
	checkpointEvery = 75 * time.Second
	checkpointTakes = 7 * time.Second
)

// checkpointing reports whether the training job writes a checkpoint at now.
func checkpointing(now time.Duration) bool {
	at := (now + 20*time.Second) % checkpointEvery
	if at < 0 {
		at += checkpointEvery
	}
	return at < checkpointTakes
}

func training(now time.Duration, r float64) load {
	if checkpointing(now) {
		return load{util: 0.03 + 0.09*r, work: 0.06 + 0.05*r, memory: 0.02}
	}
	return load{util: 0.95 + 0.05*r, work: 0.88 + 0.1*r, memory: 0.52 + 0.1*r}
}

func finetuning(_ time.Duration, r float64) load {
	return load{util: 0.6 + 0.15*r, work: 0.6 + 0.1*r, memory: 0.3 + 0.1*r}
}

func simulating(_ time.Duration, r float64) load {
	return load{util: 0.75 + 0.08*r, work: 0.62 + 0.06*r, memory: 0.3 + 0.1*r}
}

// evaluating is busy in batches, with a pause between two.
func evaluating(now time.Duration, r float64) load {
	if at := now % (24 * time.Second); at > -5*time.Second && at < 4*time.Second {
		return load{util: 0.25 * r, work: 0.12, memory: 0.04}
	}
	return load{util: 0.55 + 0.25*r, work: 0.55 + 0.1*r, memory: 0.25 + 0.1*r}
}

// fate is what befalls one GPU, as bits.
type fate uint8

const (
	overheats fate = 1 << iota // grows hot and is slowed
	lags                       // its process is starved by its host side
	corrupts                   // uncorrected memory errors
	brakes                     // the power supply pulls the brake
)

// When fates strike, within the story.
const (
	heatBegins, heatFull, heatEnds = 5 * time.Second, 35 * time.Second, 190 * time.Second
	lagBegins, lagEnds             = 12 * time.Second, 240 * time.Second
	errorAt                        = 60 * time.Second // once: the count stays
	brakeBegins, brakeEnds         = 85 * time.Second, 120 * time.Second
)

// heat is how far the overheating has come, 0 to 1.
func heat(now time.Duration) float64 {
	if !during(now, heatBegins, heatEnds+heatFull-heatBegins) {
		return 0
	}
	at := now % cycle
	if at > heatEnds {
		return 1 - float64(at-heatEnds)/float64(heatFull-heatBegins)
	}
	return min(float64(at-heatBegins)/float64(heatFull-heatBegins), 1)
}

// The driver takes the clocks down from slowedByHeat on, except while the GPU is cooler than resumes, as it is after a pause.
const (
	slowedByHeat = 0.9
	resumes      = 84 // °C
)

// slowed reports whether heat slows the GPU in one slot.
func (w *world) slowed(h *host, gpu int, now time.Duration) bool {
	return h.gpus[gpu].fate&overheats != 0 && heat(now) >= slowedByHeat && w.temperature(h, gpu, now) >= resumes
}

// loadOf is how busy the GPU in one slot is.
func (w *world) loadOf(h *host, gpu int, now time.Duration) load {
	s := &h.gpus[gpu]
	if !s.use.active(now) {
		return load{}
	}
	l := s.use.load(now, w.noise('l', h.number, gpu, int64(now/time.Second)))
	switch {
	case s.fate&lags != 0 && during(now, lagBegins, lagEnds) && !checkpointing(now):
		return load{util: 0.19 + 0.1*l.memory, work: 0.3, memory: 0.12}
	case s.fate&brakes != 0 && during(now, brakeBegins, brakeEnds):
		l.work *= 0.5
	}
	return l
}

// sample is what the driver would say of the GPU in one slot.
func (w *world) sample(h *host, gpu int, now time.Duration) wire.GPU {
	m, s := h.model, &h.gpus[gpu]
	l := w.loadOf(h, gpu, now)
	throttle, clock := w.clocks(h, gpu, now, l)
	if throttle&wire.ThrottleHWThermal != 0 {
		l.work *= 0.72 // the same kernels take longer: the utilisation stays
	}
	power := m.idle + (0.97*m.limit-m.idle)*l.work
	errors := 0.0
	if s.fate&corrupts != 0 && now >= errorAt {
		errors = 2
	}
	return wire.GPU{Index: gpu, Values: metric.Make(map[metric.ID]float64{
		metric.Util:           float64(percent(l.util)),
		metric.MemUtil:        float64(percent(l.memory)),
		metric.MemoryUsed:     float64(w.memoryUsed(h, gpu, now)),
		metric.Temperature:    math.Floor(w.temperature(h, gpu, now)),
		metric.Power:          power,
		metric.PowerLimit:     m.limit,
		metric.SMClock:        float64(clock),
		metric.MemClock:       float64(m.mem),
		metric.Throttle:       float64(throttle),
		metric.ECCUncorrected: errors,
	})}
}

func percent(share float64) int { return int(math.Round(100 * min(max(share, 0), 1))) }

// clocks is why the clocks are below their maximum, and the SM clock.
func (w *world) clocks(h *host, gpu int, now time.Duration, l load) (throttle uint64, clock int) {
	m, s := h.model, &h.gpus[gpu]
	switch {
	case l.work == 0:
		return wire.ThrottleGPUIdle, m.smIdle
	case w.slowed(h, gpu, now):
		jitter := int(3*w.noise('j', h.number, gpu, int64(now/time.Second))) - 1 // clocks move in steps of 15 MHz
		return wire.ThrottleHWThermal | wire.ThrottleHWSlowdown, m.smMax*61/100 + 15*jitter
	case s.fate&brakes != 0 && during(now, brakeBegins, brakeEnds):
		return wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown, m.smMax / 2
	case l.work > 0.96:
		return wire.ThrottleSWPowerCap, m.smMax - 15
	}
	return 0, m.smMax
}

// atFullWork is the least work of a training job between its checkpoints.
const atFullWork = 0.85

// temperature follows the work of the last minute.
func (w *world) temperature(h *host, gpu int, now time.Duration) float64 {
	const step, steps, keep = 2 * time.Second, 24, 0.92
	sum, weights, weight := 0.0, 0.0, 1.0
	for i := range steps {
		sum += weight * w.loadOf(h, gpu, now-time.Duration(i)*step).work
		weights += weight
		weight *= keep
	}
	work := sum / weights
	t := 31 + 3*w.noise('c', h.number, gpu, 0) + (33+5*w.noise('h', h.number, gpu, 0))*work
	if h.gpus[gpu].fate&overheats != 0 {
		hot := float64(h.model.slowdown) + w.noise('t', h.number, gpu, int64(now/time.Second))
		t += (hot - t) * heat(now) * min(work/atFullWork, 1)
	}
	return t
}

// memoryUsed is the memory in use, in bytes.
func (w *world) memoryUsed(h *host, gpu int, now time.Duration) uint64 {
	u := h.gpus[gpu].use
	if !u.active(now) {
		return 4 << 20
	}
	share := u.memory + 0.04*w.noise('m', h.number, gpu, 0) + 0.002*w.noise('n', h.number, gpu, int64(now/(20*time.Second)))
	return uint64(share*float64(h.model.memory)) << 20
}
