package part

import (
	"math"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Amount is a quantity in words. Most is its limit, "" if unknown. The zero Amount is unknown.
type Amount struct{ Now, Most, Unit string }

// Share is "4850/5600", or "4850" where there is no limit.
func (a Amount) Share() string {
	if a.Most == "" {
		return a.Now
	}
	return a.Now + "/" + a.Most
}

// String is the share with its unit.
func (a Amount) String() string { return a.Share() + a.Unit }

// Power is the sum of the power. The limit decides the unit and the number of decimals, so that nothing jumps; without
// a limit, w columns do. The limit is left out unless all counted GPUs have one. Large amounts are in watts only below
// a kilowatt.
func Power(t *tally.Totals, w int, large bool) Amount {
	if !t.Power.Known() {
		return Amount{}
	}
	var a Amount
	limited, most := t.PowerLimit.Count == t.Power.Count, t.Power.Value
	if limited {
		most = t.PowerLimit.Value
	}
	for _, u := range powerUnits {
		a = Amount{Now: u.format(t.Power.Value), Unit: u.name}
		fits := len(a.Now)+len(a.Unit) <= w
		if limited {
			a.Most = u.format(t.PowerLimit.Value)
			fits = t.PowerLimit.Value < u.below
		}
		if fits && (u.name != "W" || !large || most < 1000) {
			break
		}
	}
	return a
}

// Unlimited is a width with room for every amount.
const Unlimited = 1 << 16

// powerUnit is a unit of power with the format of its numbers, for limits below a number of watts.
type powerUnit struct {
	name   string
	below  float64
	format func(watts float64) string
}

var powerUnits = []powerUnit{
	{"W", 10e3, draw.Whole}, {"kW", 100e3, draw.KW},
	{"kW", 10e6, func(w float64) string { return draw.Whole(w / 1e3) }},
	{"MW", math.Inf(1), func(w float64) string { return draw.One(w / 1e6) }},
}

// MemoryUsed is the sum of the memory in GiB or TiB.
func MemoryUsed(t *tally.Totals) Amount {
	if !t.Used.Known() {
		return Amount{}
	}
	used, total, unit := draw.Share(uint64(t.Used.Value), uint64(t.Memory.Value))
	return Amount{used, total, unit}
}

// Bytes is "71.2 GiB", or "4 MiB".
func Bytes(bytes float64) string {
	size, unit := draw.Size(uint64(bytes))
	return size + " " + unit
}

// MemorySum is "561/637" in GiB, the unit of all tables.
func MemorySum(t *tally.Totals) string {
	if !t.Used.Known() {
		return ""
	}
	return draw.GiB(uint64(t.Used.Value)) + "/" + draw.GiB(uint64(t.Memory.Value))
}

// ProcessSum is "91.0 procs": the memory of processes in GiB, if the driver does not report the memory of their GPUs;
// "" if it is unknown.
func ProcessSum(bytes uint64, known bool) string {
	if !known {
		return ""
	}
	return draw.GiB(bytes) + " procs"
}

// JobProcessSum is ProcessSum for the GPUs of LastSaid.
func (s *Scene) JobProcessSum() string {
	return Once(s, processSumKey{}, func() string {
		return ProcessSum(cluster.MemoryOfProcesses(tally.Each(s.Snap, s.Job, s.Old())))
	})
}

type processSumKey struct{}

// Summed is a sum over GPUs, rounded, with its unit; "" if unknown.
func Summed(s tally.Sum, unit string) string {
	if !s.Known() {
		return ""
	}
	return draw.Whole(s.Value) + unit
}

// HeatRole is the role of a highest temperature.
func HeatRole(s tally.Sum) draw.Role {
	if s.Known() && tally.Hot(s.GPU) {
		return draw.Warn
	}
	return draw.Text
}

// GPUNumber is "GPU3", or "GPU?" if the number is unknown.
func GPUNumber(g *cluster.GPU) string { return "GPU" + Number(g) }

// Number is the number of a GPU, "?" if unknown. For a MIG instance, its own number follows that of its GPU: "3:1".
func Number(g *cluster.GPU) string {
	number := "?"
	if g.Number != cluster.NoNumber {
		number = strconv.Itoa(g.Number)
	}
	if i := g.Card.Instance; i != nil {
		number += ":" + strconv.Itoa(i.Index)
	}
	return number
}

// Percent is "97%", "n/a" for NaN.
func Percent(v float64) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	return draw.Whole(v) + "%"
}

// Measured is a metric of a GPU, rounded, with its unit; "" if unknown. A percentage that is measured with a decimal
// shows it below 10.
func Measured(g *cluster.GPU, id metric.ID, unit string) string {
	v, known := g.Get(id)
	if !known {
		return ""
	}
	if row := id.Row(); row.Unit == metric.Percent && row.Decimals > 0 && v < 9.95 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64) + unit
	}
	return draw.Whole(v) + unit
}

// Plural is "1 node", "4 nodes".
func Plural(n int, one, many string) string { return text.Plural(n, one, many) }

// Seconds is "3s", "0.5s".
func Seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
