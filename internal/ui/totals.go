package ui

import (
	"math"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// sum adds up one quantity over GPUs, and counts over how many.
type sum struct {
	value float64
	count int
}

func (s *sum) add(v float64) {
	s.value += v
	s.count++
}

func (s sum) mean() float64 {
	if s.count == 0 {
		return math.NaN()
	}
	return s.value / float64(s.count)
}

// totals are the sums over some GPUs. What a GPU gives no number for is not counted as 0.
type totals struct {
	gpus                           int
	util, used, total, watts, most sum
	hottest                        *cluster.GPU
}

func total(gpus []*cluster.GPU) totals {
	t := totals{gpus: len(gpus)}
	for _, g := range gpus {
		if util, known := g.Get(metric.Util); known {
			t.util.add(util)
		}
		used, known := g.Get(metric.MemoryUsed)
		if total, told := g.Get(metric.MemoryTotal); known && told {
			t.used.add(used)
			t.total.add(total)
		}
		if watts, known := g.Get(metric.Power); known {
			t.watts.add(watts)
			if limit, told := g.Get(metric.PowerLimit); told {
				t.most.add(limit)
			}
		}
		if celsius, known := g.Get(metric.Temperature); known && (t.hottest == nil || celsius > t.hottest.Float(metric.Temperature)) {
			t.hottest = g
		}
	}
	return t
}

// counted is over how many GPUs the sums go that go over the fewest.
func (t totals) counted() int {
	n := t.gpus
	for _, s := range []sum{t.util, t.used, t.watts} {
		if s.count > 0 {
			n = min(n, s.count)
		}
	}
	if t.util.count+t.used.count+t.watts.count == 0 {
		return 0
	}
	return n
}

// power is "4850/5600" and "W". The limit decides on the unit and its form, so that nothing jumps; without a limit, w columns do. The
// limit is left out unless every GPU that counts has one. large amounts are never in watts.
func (t totals) power(w int, large bool) (amount, unit string) {
	if t.watts.count == 0 {
		return "", ""
	}
	limited := t.most.count == t.watts.count
	for _, u := range powerUnits {
		amount, unit = u.format(t.watts.value), u.name
		fits := len(amount)+len(unit) <= w
		if limited {
			amount += "/" + u.format(t.most.value)
			fits = t.most.value < u.below
		}
		if fits && (u.name != "W" || !large) {
			break
		}
	}
	return amount, unit
}

// powerUnit is a unit of power with the form of its numbers, for limits below a number of watts.
type powerUnit struct {
	name   string
	below  float64
	format func(watts float64) string
}

var powerUnits = []powerUnit{
	{"W", 10e3, draw.Whole}, {"kW", 100e3, draw.KW}, {"kW", 10e6, func(w float64) string { return draw.Whole(w / 1e3) }},
	{"MW", math.Inf(1), func(w float64) string { return draw.One(w / 1e6) }},
}

// kilowatts is power's form that never is in watts.
func (t totals) kilowatts() string {
	amount, unit := t.power(unbounded, true)
	return amount + unit
}

// memory is "574384/652472" in MiB, or in GiB with its unit where w columns do not hold that.
func (t totals) memory(w int) string {
	if t.used.count == 0 {
		return ""
	}
	used, total := uint64(t.used.value), uint64(t.total.value)
	if text := draw.MiB(used) + "/" + draw.MiB(total); len(text) <= w {
		return text
	}
	return draw.GiB(used) + "/" + draw.GiB(total) + "GiB"
}

// sumRow draws the sum of the job's GPUs of the node.
func (f *frame) sumRow(y int, l *layout) {
	gpus := f.own(nil, f.node)
	t := total(gpus)
	x := l[colGPU].x
	f.Put(x, y, "SUM", draw.Strong)
	if next := max(l[colName].x, l[colTemp].x); next >= x+12 {
		if n := t.counted(); n < t.gpus {
			f.Put(x+5, y, "("+strconv.Itoa(n)+" of "+strconv.Itoa(t.gpus)+")", draw.Warn)
		} else {
			f.Put(x+5, y, "("+plural(t.gpus, "GPU", "GPUs")+")", draw.Dim)
		}
	}
	if t.gpus == 0 {
		return
	}
	f.bar(l[colUtilBar], y, t.util.mean(), draw.BarData)
	util := ""
	if t.util.count > 0 {
		util = draw.Whole(t.util.mean()) + "%"
	}
	f.number(l[colUtil], y, util, draw.Strong)
	if t.used.count > 0 {
		f.bar(l[colMemBar], y, 100*t.used.value/t.total.value, draw.BarMem)
	}
	f.number(l[colUsed], y, t.memory(l[colUsed].w), draw.Strong)
	watts, unit := t.power(l[colPower].w, false)
	f.number(l[colPower], y, watts+unit, draw.Strong)
	if s := l[colHistory]; s.in() {
		f.Spark(s.x, y, s.w, f.mean(gpus, s.w), draw.Cell)
	}
}
