package ui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// This file alone knows how the numbers of a GPU are kept. All other tests say them by name.

// values are numbers of a GPU: percent, MiB, °C, W, MHz, bits, counts.
type values map[string]float64

// fixtureNumbers are the numbers that tests set, in the unit in which they say them.
var fixtureNumbers = map[string]struct {
	id   metric.ID
	unit float64
}{
	"util": {metric.Util, 1}, "bandwidth": {metric.MemUtil, 1}, "used": {metric.MemoryUsed, mib},
	"total": {metric.MemoryTotal, mib},
	"temp":  {metric.Temperature, 1}, "slowdown": {metric.Slowdown, 1}, "power": {metric.Power, 1},
	"limit": {metric.PowerLimit, 1},
	"sm":    {metric.SMClock, 1}, "mem": {metric.MemClock, 1}, "throttle": {metric.Throttle, 1},
	"ecc": {metric.ECCUncorrected, 1},
}

// set gives a GPU numbers.
func set(g *wire.GPU, v values) {
	for name, x := range v {
		n, ok := fixtureNumbers[name]
		if !ok {
			panic("no number of a GPU is called " + name)
		}
		g.Values.Set(n.id, x*n.unit)
	}
}

// unset takes numbers away, as a driver that does not give them.
func unset(g *wire.GPU, names ...string) {
	for _, name := range names {
		set(g, values{name: math.NaN()})
	}
}

// value is one number of a GPU.
func value(g *wire.GPU, name string) float64 {
	return g.Values.Float(fixtureNumbers[name].id) / fixtureNumbers[name].unit
}

// forget takes all numbers away. words say why the GPU is lost, if it is.
func forget(g *cluster.GPU, words string) { g.GPU = &wire.GPU{Index: g.Card.Index, Lost: words} }

// fixtureGPU is a GPU at work. number is the one that the screen shows; index is NVML's, and another one.
func fixtureGPU(r *rand.Rand, number, index int) cluster.GPU {
	util := 95 + r.IntN(5)
	g := cluster.GPU{
		Number: number, Key: fmt.Sprintf("GPU-%d", r.Uint32()),
		Card: &wire.Card{
			Index: index, Minor: ptr(number), Name: "NVIDIA H100 80GB HBM3",
			Values: metric.Make(map[metric.ID]float64{metric.SMClockMax: 1980, metric.Slowdown: 87,
				metric.MemoryTotal: 81559 * mib}),
		},
		GPU: &wire.GPU{Index: index},
	}
	set(g.GPU, values{
		"util": float64(util), "bandwidth": float64(52 + r.IntN(10)), "used": float64(70100 + r.IntN(3800)),
		"temp": float64(61 + r.IntN(8)), "power": float64(622 + r.IntN(62)), "limit": 700,
		"sm": []float64{1980, 1980, 1965, 1950}[r.IntN(4)], "mem": 2619, "throttle": 0, "ecc": 0,
	})
	inFull(&g)
	h := walk(r, historyLen, float64(util), 2.5)
	h[len(h)-1] = float32(util)
	remember(&g, h)
	return g
}

// inFull gives a GPU all else that its page shows.
func inFull(g *cluster.GPU) {
	g.Card.UUID = fmt.Sprintf("GPU-3f1c%04x-7a02-4d1e-b8c6-5e90d2c49a%02x", g.Number*0x1111, g.Number*7+16)
	g.Card.PCIBus = fmt.Sprintf("00000000:%02X:00.0", 0x1b+g.Number*0x20)
	g.Card.Capability, g.Card.Serial, g.Card.VBIOS = "9.0", fmt.Sprint(1652123004710+g.Number), "96.00.89.00.01"
	for id, v := range map[metric.ID]float64{
		metric.NUMANode: float64(g.Number / 4), metric.PCIeGenMax: 5, metric.PCIeWidthMax: 16, metric.NVLinks: 18,
		metric.ECCMode: 1, metric.MemClockMax: 2619,
		metric.Shutdown: 92, metric.PowerLimitMax: 700,
	} {
		g.Card.Values.Set(id, v)
	}
	for id, v := range map[metric.ID]float64{
		metric.PCIeGen: 5, metric.PCIeWidth: 16, metric.PCIeRX: 2.1e9 + 1e8*float64(g.Number), metric.PCIeTX: 0.4e9,
		metric.PCIeReplays: 0,
		metric.NVLinkUp:    1<<18 - 1, metric.NVLinkRX: 101e9, metric.NVLinkTX: 102e9, metric.NVLinkCRC: 0,
		metric.NVLinkReplays: 0, metric.NVLinkRecoveries: 0,
		metric.ECCCorrected: 3, metric.ECCCorrectedAggregate: 121, metric.ECCUncorrectedAggregate: 0,
		metric.RemappedCorrectable: 1, metric.RemappedUncorrectable: 0, metric.RemapPending: 0, metric.RemapFailed: 0,
		metric.SMActive: 91, metric.SMOccupancy: 42, metric.TensorActive: 38, metric.DRAMActive: 47, metric.Encoder: 0,
		metric.Decoder: 0, metric.JPEG: 0, metric.OFA: 0,
		metric.PerformanceState: 0, metric.PersistenceMode: 1, metric.ComputeMode: 0, metric.MemoryTemperature: 71,
		metric.BAR1Used: 3 << 30,
	} {
		g.Values.Set(id, v)
	}
}

// lacking takes metrics away from a GPU, as one that does not have them.
func lacking(g *cluster.GPU, why string, ids ...metric.ID) {
	g.Card.Absent = map[string][]string{why: nil}
	for _, id := range ids {
		g.Card.Absent[why] = append(g.Card.Absent[why], id.String())
		g.Values.Set(id, math.NaN())
		g.Card.Values.Set(id, math.NaN())
	}
	past := utilOf(g)
	if remember(g, past); slices.Contains(ids, metric.Util) {
		setUtil(g, nil)
	}
}

// historyLen is how many bins the fixtures' histories have, all that are kept, and newestBin the newest of them.
const historyLen = 240

var newestBin = ago(time.Second).UnixNano() / int64(3*time.Second)

// histories has each history that a fixture needs. They never change, and making one takes longer than drawing it.
var histories = struct {
	sync.Mutex
	made map[any]history.History
}{made: map[any]history.History{}}

// bits are a series that can be compared: gaps are equal.
type bits [historyLen]uint32

func bitsOf(series []float32) (b bits) {
	for i := range b {
		b[i] = math.Float32bits(series[i])
	}
	return b
}

// remember gives a GPU a history: of its utilization, and what goes with it.
func remember(g *cluster.GPU, util []float32) {
	type past struct {
		values, card metric.Values
		util         bits
	}
	remake(g, past{g.Values, g.Card.Values, bitsOf(util)}, func(id metric.ID) []float32 {
		series := slices.Repeat([]float32{float32(g.Float(id))}, historyLen)
		if _, known := g.Get(id); !known && id != metric.Util {
			return series
		}
		for i, v := range util {
			switch id {
			case metric.Util:
				series[i] = v
			case metric.Power:
				if util, known := g.Get(metric.Util); known {
					series[i] = float32(72 + (g.Float(id)-72)*float64(v)/max(util, 1))
				}
			case metric.Temperature:
				series[i] += (v-90)/20 - max(0, float32(historyLen-20-i))/20
			case metric.NVLinkTX, metric.NVLinkRX, metric.PCIeRX, metric.PCIeTX:
				series[i] *= v / 97
			case metric.SMClock:
				if most, _ := g.Get(metric.SMClockMax); throttledAt(uint64(g.Float(metric.Throttle)),
					i)&(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake) == 0 {
					series[i] = float32(most) - 15*float32(i%3)
				}
			case metric.Throttle:
				series[i] = float32(throttledAt(uint64(g.Float(id)), i))
			}
		}
		return series
	})
}

// throttledAt are the throttle reasons in a bin of the history of a GPU that has these now: for 40 s, and once for 33 s
// before that.
func throttledAt(now uint64, bin int) uint64 {
	if now == 0 || bin >= historyLen-14 || bin > historyLen-80 && bin < historyLen-68 {
		return now
	}
	if bin%61 < 4 {
		return wire.ThrottleSWPowerCap
	}
	return 0
}

// setUtil replaces the history of a GPU's utilization alone; nil: there is none.
func setUtil(g *cluster.GPU, util []float32) {
	old := g.History
	if util == nil {
		util = slices.Repeat([]float32{history.Gap}, historyLen)
	}
	type past struct {
		values, card metric.Values
		old, util    bits
	}
	remake(g, past{g.Values, g.Card.Values, bitsOf(utilOf(g)), bitsOf(util)}, func(id metric.ID) []float32 {
		if id == metric.Util {
			return util
		}
		return old.Tail(nil, id, newestBin, historyLen)
	})
}

func utilOf(g *cluster.GPU) []float32 { return g.History.Tail(nil, metric.Util, newestBin, historyLen) }

// remake gives a GPU the history of these series. Of the same past, it is made once.
func remake(g *cluster.GPU, past any, of func(metric.ID) []float32) {
	histories.Lock()
	defer histories.Unlock()
	h, made := histories.made[past]
	if !made {
		series := map[metric.ID][]float32{}
		for _, id := range metric.Kept {
			series[id] = of(id)
		}
		for i := range historyLen {
			h.Add(newestBin-int64(historyLen-1-i), historyLen,
				func(id metric.ID) float64 { return float64(series[id][i]) })
		}
		histories.made[past] = h
	}
	g.History = h
}

// fixtureIndex is NVML's index of the GPU with that minor number: the devices of these nodes are found in another order
// than they are numbered in, so that a screen that shows the one for the other is seen.
func fixtureIndex(number, gpus int) int { return (number + 3) % gpus }
