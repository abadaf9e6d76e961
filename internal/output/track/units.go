package track

import (
	"fmt"
	"slices"
	"strings"
)

// Units are the units of a report, by name.
type Units struct{ RAM, GPURAM, Time string }

// DefaultUnits are the units of gpu_tracker.
var DefaultUnits = Units{RAM: "gigabytes", GPURAM: "gigabytes", Time: "hours"}

// unit is a name with its number of bytes or seconds.
type unit struct {
	name string
	size float64
}

var (
	sizes = []unit{{"bytes", 1}, {"kilobytes", 1e3}, {"megabytes", 1e6}, {"gigabytes", 1e9}, {"terabytes", 1e12}}
	times = []unit{{"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 24 * 3600}}
)

// CheckSize returns the error in the name of a unit of memory.
func CheckSize(name string) error { return checkUnit(sizes, name) }

// CheckTime returns the error in the name of a unit of time.
func CheckTime(name string) error { return checkUnit(times, name) }

func checkUnit(units []unit, name string) error {
	if slices.ContainsFunc(units, func(u unit) bool { return u.name == name }) {
		return nil
	}
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	last := len(names) - 1
	return fmt.Errorf("must be %s or %s, not %q", strings.Join(names[:last], ", "), names[last], name)
}

// sizeOf returns the bytes or seconds of a unit that a check has accepted.
func sizeOf(units []unit, name string) float64 {
	for _, u := range units {
		if u.name == name {
			return u.size
		}
	}
	return 1
}
