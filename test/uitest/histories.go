package uitest

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// HistoryLen is how many bins the fixtures' histories have, all that are kept, and newestBin the newest of them.
const HistoryLen = 240

// NewestBin is the last bin of all histories.
var NewestBin = Ago(time.Second).UnixNano() / int64(3*time.Second)

// histories has each history that a fixture needs. They never change, and making one takes longer than drawing it.
var histories = struct {
	sync.Mutex
	made map[any]history.History
}{made: map[any]history.History{}}

// bits are a series that can be compared: gaps are equal.
type bits [HistoryLen]uint32

func bitsOf(series []float32) (b bits) {
	for i := range b {
		b[i] = math.Float32bits(series[i])
	}
	return b
}

// Remember gives a GPU a history: of its utilization, and what goes with it.
func Remember(g *cluster.GPU, util []float32) {
	type past struct {
		values, card metric.Values
		util         bits
	}
	remake(g, past{g.Values, g.Card.Values, bitsOf(util)}, func(id metric.ID) []float32 {
		series := slices.Repeat([]float32{float32(g.Float(id))}, HistoryLen)
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
				series[i] += (v-90)/20 - max(0, float32(HistoryLen-20-i))/20
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
	if now == 0 || bin >= HistoryLen-14 || bin > HistoryLen-80 && bin < HistoryLen-68 {
		return now
	}
	if bin%61 < 4 {
		return wire.ThrottleSWPowerCap
	}
	return 0
}

// SetUtil replaces the history of a GPU's utilization alone; nil: there is none.
func SetUtil(g *cluster.GPU, util []float32) {
	old := g.History
	if util == nil {
		util = slices.Repeat([]float32{history.Gap}, HistoryLen)
	}
	type past struct {
		values, card metric.Values
		old, util    bits
	}
	remake(g, past{g.Values, g.Card.Values, bitsOf(UtilOf(g)), bitsOf(util)}, func(id metric.ID) []float32 {
		if id == metric.Util {
			return util
		}
		return old.Tail(nil, id, NewestBin, HistoryLen)
	})
}

// UtilOf is the history of the utilization.
func UtilOf(g *cluster.GPU) []float32 { return g.History.Tail(nil, metric.Util, NewestBin, HistoryLen) }

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
		for i := range HistoryLen {
			h.Add(NewestBin-int64(HistoryLen-1-i), HistoryLen,
				func(id metric.ID) float64 { return float64(series[id][i]) })
		}
		histories.made[past] = h
	}
	g.History = h
}
