// Package metric has the table of all metrics that nvnodetop reads from a GPU or a node. Values holds one reading of
// these metrics.
//
// To add a metric, add an ID and its row to a file of rows in this package, and a reader to package probe/nvml (for the
// node: to probe). The protocol, the histories, the JSON document with its schema, and docs/metrics.md follow from the
// row. Metrics of a process are not in the table: processes are structs.
//
// The table never changes, so any goroutine may read it. A Values is a plain value: copies share nothing.
package metric

import (
	"iter"
	"math"
	"slices"
	"strconv"
)

// Row describes a metric.
type Row struct {
	Key      string   // its name in JSON, which includes the unit; unique in its scope, and stable
	Label    string   // its name on the screen
	Unit     Unit     // also decides the range of plausible values
	Decimals int      // number of decimals of its values
	Positive bool     // 0 means no value: no GPU has a link, a limit, a highest clock or a memory of 0
	Of       ID       // the metric of pace Once that this one is a part of; 0: none
	Scope    Scope    // GPU or node
	Pace     Pace     // how often it is read
	Rate     bool     // it is read as a counter, and its value is the increase per second between two readings
	From     []string // NVML functions: the first one that the library has is called; or the file in /proc
	Kept     bool     // histories keep it
	Sum      Sum      // how the values of several GPUs or nodes are combined
	// its name as a time series, if Key does not yield it: without the prefix, and for a counter without _total
	Series  string
	Labels  string // labels that distinguish it from others with that name, in Prometheus syntax
	Counter bool   // it only grows, until the driver is loaded anew
	DCGM    string // its name in DCGM; "": DCGM has no such metric, or another unit or meaning
	Help    string // one sentence that is true in any unit
	Core    bool   // it belongs to the few metrics that Prometheus gets on large clusters (--metrics core)
}

// Scope says whether a metric belongs to a GPU or to a node.
type Scope uint8

// Scopes.
const (
	GPU Scope = iota
	Host
)

// Pace says how often a metric is read.
type Pace uint8

// Paces.
const (
	Fast Pace = iota // in every report
	Slow             // every SlowSeconds; reports in between repeat the value
	Once             // when the probe starts and when the driver comes back; it is part of Hello
)

// SlowSeconds is the interval of pace Slow.
const SlowSeconds = 60

// Sum says how several values become one.
type Sum uint8

// Sums.
const (
	NoSum Sum = iota
	Add
	Mean
	Lowest
	Highest
)

// Unit is the unit of a metric.
type Unit uint8

// Units.
const (
	Percent Unit = iota
	Celsius
	Watts
	MHz
	Bytes
	Count
	Seconds
	Bits // a bitmask
	Joules
	BytesPerSecond
	Relative // percent of a nominal value, which may be exceeded
)

// exact is the largest number up to which float64 holds every integer.
const exact = 1 << 53

// units has the range of each unit: a number outside it is damaged. Few units need a narrower range for what a GPU can
// have. It leaves room for future GPUs, but none for the numbers that drivers give in place of an unknown value: 0 and
// 255 °C, 2^32-1 mW.
var units = [...]struct {
	name        string
	low, high   float64
	least, most float64 // of a GPU; both 0: the range
}{
	Percent:        {"percent", 0, 100, 0, 0},
	Celsius:        {"°C", -100, 1000, 1, 250},
	Watts:          {"W", 0, 1e6, 0, 50_000},
	MHz:            {"MHz", 0, 1e6, 0, 0},
	Bytes:          {"bytes", 0, exact, 0, 0},
	Count:          {"count", 0, exact, 0, 0},
	Seconds:        {"s", 0, exact, 0, 0},
	Bits:           {"bits", 0, exact, 0, 0},
	Joules:         {"J", 0, exact, 0, 0},
	BytesPerSecond: {"bytes/s", 0, exact, 0, 0},
	Relative:       {"percent", 0, 1000, 0, 250},
}

// none lists the numbers with all bits set, signed and unsigned, that drivers give in place of an unknown count. Those
// of 64 bits exceed every range.
var none = [...]float64{math.MaxInt32, math.MaxUint32}

// Plausible reports whether the driver can mean that value of the metric. A value that it cannot mean is absent.
func (id ID) Plausible(x float64) bool {
	row := &table[id]
	unit := &units[row.Unit]
	least, most := unit.low, unit.high
	if unit.most > 0 {
		least, most = unit.least, unit.most
	}
	return x >= least && x <= most && !(row.Positive && x == 0) && !(row.Unit == Count && slices.Contains(none[:], x))
}

// Doubt returns the reason why an implausible value is absent.
func (id ID) Doubt(x float64) string {
	number := strconv.FormatFloat(x, 'f', -1, 64)
	switch unit := table[id].Unit; unit {
	case Count, Bits:
		return "implausible value " + number
	default:
		return "implausible value " + number + " " + unit.String()
	}
}

func (u Unit) String() string { return units[u].name }

// Range returns the range of plausible values. A value outside the range counts as absent.
func (u Unit) Range() (low, high float64) { return units[u].low, units[u].high }

// Row returns the description of the metric.
func (id ID) Row() Row { return table[id] }

func (id ID) String() string { return table[id].Key }

// Find returns the metric of that scope with this key.
func Find(key string, s Scope) (id ID, known bool) {
	id, known = byKey[s][key]
	return id, known
}

// Known reports whether a metric of that scope has this key.
func Known(key string, s Scope) bool {
	_, known := Find(key, s)
	return known
}

// All yields the metrics of one scope in the order of the table.
func All(s Scope) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for id := range count {
			if table[id].Scope == s && !yield(id) {
				return
			}
		}
	}
}

// Kept and KeptOfNode list the metrics that the histories of GPUs and of nodes keep. Callers must not change them.
var (
	Kept       = keptMetrics(GPU)
	KeptOfNode = keptMetrics(Host)
)

func keptMetrics(of Scope) (ids []ID) {
	for id := range All(of) {
		if table[id].Kept {
			ids = append(ids, id)
		}
	}
	return ids
}
