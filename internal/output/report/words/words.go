// Package words has the words for the numbers of reports. Its functions are pure.
package words

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// None stands for an unknown value.
const None = "-"

// IsStep reports whether the step that ran out of memory is neither the job nor its batch script.
func IsStep(outOfMemory string) bool {
	return outOfMemory != "" && outOfMemory != "job" && outOfMemory != "batch"
}

// Spoken does what text.Span does, for a number of seconds, which may be a sum of parts.
func Spoken(seconds float64) string {
	return text.Span(time.Duration(seconds * float64(time.Second)).Round(time.Millisecond))
}

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
