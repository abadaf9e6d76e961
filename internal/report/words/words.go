// Package words has the words for the numbers of reports. Its functions are pure.
package words

import (
	"fmt"
	"time"
)

// None stands for an unknown value.
const None = "-"

// IsStep reports whether what ran out of memory was a step of its own: neither the job nor its batch script.
func IsStep(outOfMemory string) bool {
	return outOfMemory != "" && outOfMemory != "job" && outOfMemory != "batch"
}

// Short formats a duration with its two largest units: "28s", "5m 3s", "1h 12m", "2d 4h".
func Short(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	units := []struct {
		name string
		of   int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	for i, u := range units[:3] {
		if s < u.of {
			continue
		}
		if rest := s % u.of / units[i+1].of; rest > 0 {
			return fmt.Sprintf("%d%s %d%s", s/u.of, u.name, rest, units[i+1].name)
		}
		return fmt.Sprintf("%d%s", s/u.of, u.name)
	}
	return fmt.Sprintf("%ds", s)
}

// Spoken is short for a number of seconds.
func Spoken(seconds float64) string { return Short(time.Duration(seconds * float64(time.Second))) }

// Percent is a number of percent.
func Percent(v float64) string { return fmt.Sprintf("%.1f%%", v) }

// GiB is an amount of memory.
func GiB(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// Size is an amount of memory that may be small.
func Size(bytes uint64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return GiB(bytes)
}

// Watts is a power.
func Watts(v float64) string {
	if v >= 10_000 {
		return fmt.Sprintf("%.2f kW", v/1000)
	}
	return fmt.Sprintf("%.0f W", v)
}

// Clock is a time of day, with its date if that differs from the date of the previous time.
func Clock(t, before time.Time) string {
	if y, d := t.Year(), t.YearDay(); y == before.Year() && d == before.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
