package uitest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Values are numbers of a GPU: percent, MiB, °C, W, MHz, bits, counts.
type Values map[string]float64

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

// Set gives a GPU numbers.
func Set(g *wire.GPU, v Values) {
	for name, x := range v {
		n, ok := fixtureNumbers[name]
		if !ok {
			panic("no number of a GPU is called " + name)
		}
		g.Values.Set(n.id, x*n.unit)
	}
}

// Unset takes numbers away, as a driver that does not give them.
func Unset(g *wire.GPU, names ...string) {
	for _, name := range names {
		Set(g, Values{name: math.NaN()})
	}
}

// Value is one number of a GPU.
func Value(g *wire.GPU, name string) float64 {
	return g.Values.Float(fixtureNumbers[name].id) / fixtureNumbers[name].unit
}

// Forget takes all numbers away. words say why the GPU is lost, if it is.
func Forget(g *cluster.GPU, words string) { g.GPU = &wire.GPU{Index: g.Card.Index, Lost: words} }

// fixtureGPU is a GPU at work. number is the one that the screen shows; index is NVML's, and another one.
func fixtureGPU(r *rand.Rand, number, index int) cluster.GPU {
	util := 95 + r.IntN(5)
	g := cluster.GPU{
		Number: number, Key: fmt.Sprintf("GPU-%d", r.Uint32()),
		Card: &wire.Card{
			Index: index, Minor: new(number), Name: "NVIDIA H100 80GB HBM3",
			Values: metric.Make(map[metric.ID]float64{metric.SMClockMax: 1980, metric.Slowdown: 87,
				metric.MemoryTotal: 81559 * mib}),
		},
		GPU: &wire.GPU{Index: index},
	}
	Set(g.GPU, Values{
		"util": float64(util), "bandwidth": float64(52 + r.IntN(10)), "used": float64(70100 + r.IntN(3800)),
		"temp": float64(61 + r.IntN(8)), "power": float64(622 + r.IntN(62)), "limit": 700,
		"sm": []float64{1980, 1980, 1965, 1950}[r.IntN(4)], "mem": 2619, "throttle": 0, "ecc": 0,
	})
	inFull(&g)
	h := walk(r, HistoryLen, float64(util), 2.5)
	h[len(h)-1] = float32(util)
	Remember(&g, h)
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

// Lacking takes metrics away from a GPU, as one that does not have them.
func Lacking(g *cluster.GPU, why string, ids ...metric.ID) {
	g.Card.Absent = map[string][]string{why: nil}
	for _, id := range ids {
		g.Card.Absent[why] = append(g.Card.Absent[why], id.String())
		g.Values.Set(id, math.NaN())
		g.Card.Values.Set(id, math.NaN())
	}
	past := UtilOf(g)
	if Remember(g, past); slices.Contains(ids, metric.Util) {
		SetUtil(g, nil)
	}
}

// fixtureIndex is NVML's index of the GPU with that minor number: the devices of these nodes are found in another order
// than they are numbered in, so that a screen that shows the one for the other is seen.
func fixtureIndex(number, gpus int) int { return (number + 3) % gpus }

// walk is a history that wanders around base and dips at checkpoints.
func walk(r *rand.Rand, n int, base, amp float64) []float32 {
	h := make([]float32, n)
	v := base
	for i := range h {
		v += (r.Float64()*2-1)*amp + (base-v)*.35
		h[i] = float32(min(max(v, 0), 100))
	}
	for k := 30; k < n-5; k += 97 {
		for i, d := range []float32{60, 75, 40} {
			h[k+i] = max(h[k+i]-d, 3)
		}
	}
	return h
}
