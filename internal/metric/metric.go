// Package metric is the one table of the numbers that nvnodetop reads of a GPU and of a node, and Values, a set of such numbers.
//
// To add a number, add an ID and its row here and a reader in package probe/nvml (or in probe, for the node). The protocol, the
// histories, the JSON document with its schema, and docs/metrics.md follow from the row. What is of one process is not here:
// processes are structs.
//
// The table never changes, so it may be read from any goroutine. A Values is a value: copies share nothing.
package metric

import (
	"iter"
	"slices"
)

// Row is what is known of one number, whatever its value.
type Row struct {
	Key      string   // in JSON, with the unit in its name; unique within its scope, and stable
	Label    string   // in words, for a person
	Unit     Unit     // also the range within which a number is believed
	Decimals int      // how many are worth telling; 0: it is a whole number
	Scope    Scope    // whose number it is
	Pace     Pace     // how often it is read
	From     []string // NVML's functions for it, the best first, any of which will do; or the file in /proc
	Kept     bool     // in histories
	Sum      Sum      // what stands for the GPUs of a node, and for the nodes of a job
	Help     string   // one sentence
}

// Scope says whose number it is.
type Scope uint8

// Scopes.
const (
	GPU Scope = iota
	Host
)

// Pace says how often a number is read.
type Pace uint8

// Paces.
const (
	Fast Pace = iota // for every report
	Slow             // every SlowSeconds; reports in between repeat it
	Once             // when the probe begins, and when the driver comes back: it is part of Hello
)

// SlowSeconds is how old a number of pace Slow can get.
const SlowSeconds = 60

// Sum is how one number is made of many.
type Sum uint8

// Sums.
const (
	NoSum Sum = iota
	Add
	Mean
	Lowest
	Highest
)

// Unit is what a number counts.
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
)

// exact is the largest whole number up to which a float64 holds all.
const exact = 1 << 53

var units = [...]struct {
	name      string
	low, high float64
}{
	Percent: {"percent", 0, 100},
	Celsius: {"°C", -100, 1000},
	Watts:   {"W", 0, 1e6},
	MHz:     {"MHz", 0, 1e6},
	Bytes:   {"bytes", 0, exact},
	Count:   {"count", 0, exact},
	Seconds: {"s", 0, exact},
	Bits:    {"bits", 0, exact},
}

func (u Unit) String() string { return units[u].name }

// Range is the range of what is believed. A number outside it counts as absent.
func (u Unit) Range() (low, high float64) { return units[u].low, units[u].high }

// Row is what the table says of the number.
func (id ID) Row() Row { return table[id] }

func (id ID) String() string { return table[id].Key }

// All gives the numbers of one scope in the table's order.
func All(s Scope) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for id := range count {
			if table[id].Scope == s && !yield(id) {
				return
			}
		}
	}
}

// Kept are the numbers that histories hold, all of them a GPU's. It is shared: read it only.
var Kept = slices.DeleteFunc(slices.Collect(All(GPU)), func(id ID) bool { return !table[id].Kept })
