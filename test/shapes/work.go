package shapes

import (
	"math"
	"math/rand/v2"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Work is the work of one GPU at a moment, as averages over the period that the driver averages. The figures are those
// of an H100.
type Work struct {
	Util, Memory float64 // percent of the time in which kernels run, and in which they use the memory
	Power, Clock float64 // W, MHz
	NVLink       float64 // bytes per second each way
	TX, RX       float64 // bytes per second over PCIe, to the host and from it
	Net          float64 // bytes per second each way over the node's InfiniBand
	Disk, Read   float64 // bytes per second to the node's file system, and from it
	Used         float64 // GiB of memory
	Throttle     uint64
}

const (
	mega = 1e6
	giga = 1e9
)

// The usual works of GPUs.
var (
	train = Work{
		Util: 98, Memory: 55, Power: 610, Clock: 1650, Used: 70,
		NVLink: 50 * giga, TX: 60 * mega, RX: 300 * mega, Net: 8 * giga,
	}
	// alone works, and talks to no other GPU.
	alone = Work{Util: 97, Memory: 55, Power: 590, Clock: 1680, TX: 40 * mega, RX: 250 * mega, Used: 60}
	// spin waits for others in a collective.
	spin = Work{Util: 100, Memory: 0.5, Power: 135, Clock: 1980, NVLink: 100e3, TX: 150e3, RX: 200e3, Used: 70}
	// ready has a program that runs no kernel, resting has none.
	ready   = Work{Power: 115, Clock: 1980, TX: 20e3, RX: 30e3, Used: 70}
	resting = Work{Power: 72, Clock: 345, Used: 0.6}
	// saving copies data to the host before it is written; writing has a process that writes it.
	saving  = Work{Util: 3, Memory: 1, Power: 120, Clock: 1980, TX: 3 * giga, RX: 2e7, Disk: 300 * mega, Used: 70}
	writing = ready.with(func(w *Work) { w.Disk = 250 * mega })
	loading = Work{Util: 4, Memory: 2, Power: 130, Clock: 1980, TX: 10 * mega, RX: 6 * giga, Used: 30}
	// decode generates text.
	decode = Work{Util: 96, Memory: 70, Power: 420, Clock: 1980, NVLink: 8 * giga, TX: 5e6, RX: 5e6, Used: 74}
)

// with returns the work after a change.
func (w Work) with(change func(*Work)) Work {
	change(&w)
	return w
}

// light returns the work at lower power.
func (w Work) light(power float64) Work {
	return w.with(func(w *Work) { w.Memory, w.Power, w.Clock = w.Memory*power/w.Power, power, 1980 })
}

// busy, drawing and using return the work with another utilization, power and memory.
func (w Work) busy(percent float64) Work  { w.Util = percent; return w }
func (w Work) drawing(watts float64) Work { w.Power = watts; return w }
func (w Work) using(gib float64) Work     { w.Used = gib; return w }

// throttled returns the work of a GPU that its hardware slows for a reason.
func (w Work) throttled(reason uint64) Work { w.Throttle = wire.ThrottleHWSlowdown | reason; return w }

// computing returns the work between two exchanges with other GPUs.
func (w Work) computing() Work { w.NVLink, w.Net = 50e3, 1e3; return w }

// mix is a second with a share of b and the rest of a.
func mix(a, b Work, share float64) Work {
	of := func(x, y float64) float64 { return x + share*(y-x) }
	return Work{
		of(a.Util, b.Util), of(a.Memory, b.Memory), of(a.Power, b.Power), of(a.Clock, b.Clock), of(a.NVLink, b.NVLink),
		of(a.TX, b.TX), of(a.RX, b.RX), of(a.Net, b.Net), of(a.Disk, b.Disk), of(a.Read, b.Read),
		of(a.Used, b.Used), a.Throttle | b.Throttle,
	}
}

// waits is a training step with a share of waiting for others. The rest has the usual traffic.
func waits(share float64) Work { return mix(train, spin, share) }

// Machine is the kind of nodes.
type Machine struct {
	model       string
	limit       float64 // W
	clock       float64 // MHz at most
	nvlink      bool
	counters    bool // the driver reports the bytes over PCIe and NVLink
	infiniband  bool
	memory      float64 // GiB
	coupledPCIe bool    // the GPUs talk over PCIe, as they have no NVLink
	mig         bool    // MIG mode is on: the driver reports no utilization of the GPU
}

var (
	h100 = &Machine{"NVIDIA H100 80GB HBM3", 700, 1980, true, true, true, 80, false, false}
	a100 = &Machine{"NVIDIA A100-SXM4-80GB", 400, 1410, true, true, true, 80, false, false}
	l40s = &Machine{"NVIDIA L40S", 350, 2520, false, true, true, 48, true, false}
	v100 = &Machine{"Tesla V100-PCIE-32GB", 250, 1380, false, true, false, 32, true, false}
	migs = &Machine{"NVIDIA H100 80GB HBM3", 700, 1980, true, true, true, 80, false, true}

	// without counters of links
	mute = &Machine{"NVIDIA A100-SXM4-40GB", 400, 1410, true, false, false, 40, false, false}
)

// silicon is the difference of a GPU from others of its model.
type silicon struct{ power, clock float64 }

func newSilicon(r *rand.Rand) silicon {
	return silicon{power: 1 + 0.16*(r.Float64()-0.5), clock: 1 + 0.03*(r.Float64()-0.5)}
}

// sample is the driver's view of a work at a moment.
func (m *Machine) sample(w Work, is silicon, r *rand.Rand) metric.Values {
	shake := func(v, by float64) float64 { return v * (1 + by*math.Max(-2.5, math.Min(2.5, r.NormFloat64()))) }
	util := w.Util
	if util > 2 && util < 99.5 {
		util += 0.9 * r.NormFloat64()
	}
	if m.coupledPCIe { // at the pace of PCIe
		w.TX, w.RX = w.TX+w.NVLink/12, w.RX+w.NVLink/12
	}
	power := w.Power * is.power * m.limit / h100.limit
	step := 15.0
	var v metric.Values
	if util, memory := bounded(math.Round(util), 100), bounded(math.Round(shake(w.Memory, 0.05)), 100); !m.mig {
		v.Set(metric.Util, util)
		v.Set(metric.MemUtil, memory)
	}
	v.Set(metric.Power, math.Min(shake(power, 0.02), m.limit*1.02))
	v.Set(metric.PowerLimit, m.limit)
	v.Set(metric.SMClock, math.Min(math.Round(shake(w.Clock*is.clock, 0.006)*m.clock/h100.clock/step)*step, m.clock))
	v.Set(metric.MemoryUsed, math.Min(w.Used*m.memory/h100.memory, m.memory)*(1<<30))
	v.Set(metric.MemClock, 2619)
	v.Set(metric.Throttle, float64(w.Throttle))
	if w.Power > 0.985*h100.limit {
		v.Set(metric.Throttle, float64(w.Throttle|wire.ThrottleSWPowerCap))
	}
	if m.counters {
		v.Set(metric.PCIeTX, shake(w.TX, 0.1))
		v.Set(metric.PCIeRX, shake(w.RX, 0.1))
	}
	if m.counters && m.nvlink {
		v.Set(metric.NVLinkTX, shake(w.NVLink, 0.06))
		v.Set(metric.NVLinkRX, shake(w.NVLink, 0.06))
	}
	return v
}

func bounded(v, most float64) float64 { return math.Max(0, math.Min(v, most)) }
