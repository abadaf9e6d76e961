package ui

import (
	"fmt"
	"math/rand/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// This file alone knows how the numbers of a GPU are kept. All other tests say them by name.

// values are numbers of a GPU: percent, MiB, °C, W, MHz, bits, counts.
type values map[string]float64

// set gives a GPU numbers.
func set(g *wire.GPU, v values) {
	for name, x := range v {
		switch name {
		case "util":
			g.UtilPercent = ptr(int(x))
		case "bandwidth":
			g.MemUtilPercent = ptr(int(x))
		case "used":
			g.MemoryUsed = ptr(uint64(x * mib))
		case "total":
			g.MemoryTotal = ptr(uint64(x * mib))
		case "temp":
			g.TempC = ptr(int(x))
		case "power":
			g.PowerW = ptr(x)
		case "limit":
			g.PowerLimitW = ptr(x)
		case "sm":
			g.SMMHz = ptr(int(x))
		case "mem":
			g.MemMHz = ptr(int(x))
		case "throttle":
			g.Throttle = ptr(uint64(x))
		case "ecc":
			g.ECCUncorrected = ptr(uint64(x))
		default:
			panic("no number of a GPU is called " + name)
		}
	}
}

// unset takes numbers away, as a driver that does not give them.
func unset(g *wire.GPU, names ...string) {
	for _, name := range names {
		switch name {
		case "util":
			g.UtilPercent = nil
		case "bandwidth":
			g.MemUtilPercent = nil
		case "temp":
			g.TempC = nil
		case "power":
			g.PowerW = nil
		case "limit":
			g.PowerLimitW = nil
		default:
			panic("no number of a GPU is taken away as " + name)
		}
	}
}

// value is one number of a GPU that has it.
func value(g *wire.GPU, name string) float64 {
	switch name {
	case "util":
		return float64(*g.UtilPercent)
	case "bandwidth":
		return float64(*g.MemUtilPercent)
	case "used":
		return float64(*g.MemoryUsed) / mib
	case "total":
		return float64(*g.MemoryTotal) / mib
	case "temp":
		return float64(*g.TempC)
	case "power":
		return *g.PowerW
	}
	panic("no number of a GPU is read as " + name)
}

// forget takes all numbers away. words say why the GPU is lost, if it is.
func forget(g *cluster.GPU, words string) { g.GPU = wire.GPU{Index: g.Card.Index, Lost: words} }

// fixtureGPU is a GPU at work. number is the one that the screen shows; index is NVML's, and another one.
func fixtureGPU(r *rand.Rand, number, index int) cluster.GPU {
	util := 95 + r.IntN(5)
	g := cluster.GPU{
		Number: number, Key: fmt.Sprintf("GPU-%d", r.Uint32()),
		Card: wire.Card{
			Index: index, Minor: ptr(number), Name: "NVIDIA H100 80GB HBM3", MemoryTotal: ptr(uint64(81559) * mib), SMMax: ptr(1980), SlowdownC: ptr(87),
		},
		GPU: wire.GPU{Index: index},
	}
	set(&g.GPU, values{
		"util": float64(util), "bandwidth": float64(52 + r.IntN(10)), "used": float64(70100 + r.IntN(3800)), "total": 81559,
		"temp": float64(61 + r.IntN(8)), "power": float64(622 + r.IntN(62)), "limit": 700,
		"sm": []float64{1980, 1980, 1965, 1950}[r.IntN(4)], "mem": 2619, "throttle": 0, "ecc": 0,
	})
	g.Util = walk(r, cluster.HistoryLen, float64(util), 2.5)
	g.Util[len(g.Util)-1] = float32(util)
	remember(&g)
	return g
}

// remember gives a GPU the other histories that go with its utilisation.
func remember(g *cluster.GPU) {
	g.Memory, g.Power, g.Temp = nil, nil, nil
	for i, v := range g.Util {
		g.Memory = append(g.Memory, float32(100*value(&g.GPU, "used")/value(&g.GPU, "total")))
		g.Power = append(g.Power, float32(72+(value(&g.GPU, "power")-72)*float64(v)/max(value(&g.GPU, "util"), 1)))
		g.Temp = append(g.Temp, float32(value(&g.GPU, "temp"))-max(0, float32(len(g.Util)-20-i))/20+(v-90)/20)
	}
}

// fixtureIndex is NVML's index of the GPU with that minor number: the devices of these nodes are found in another order than they are
// numbered in, so that a screen that shows the one for the other is seen.
func fixtureIndex(number, gpus int) int { return (number + 3) % gpus }
