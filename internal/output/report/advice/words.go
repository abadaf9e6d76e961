package advice

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// UnknownText stands for an unknown value.
const UnknownText = "-"

// IsStepOutOfMemory reports whether the step that ran out of memory is neither the job nor its batch script.
func IsStepOutOfMemory(outOfMemory string) bool {
	return outOfMemory != "" && outOfMemory != "job" && outOfMemory != "batch"
}

// SpanText does what text.Span does, for a number of seconds, which may be a sum of parts.
func SpanText(seconds float64) string {
	return text.Span(time.Duration(seconds * float64(time.Second)).Round(time.Millisecond))
}

// PercentText is a number of percent.
func PercentText(v float64) string { return fmt.Sprintf("%.1f%%", v) }

// GiBText is an amount of memory.
func GiBText(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// SizeText is an amount of memory that may be small.
func SizeText(bytes uint64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return GiBText(bytes)
}

// WattsText is a power.
func WattsText(v float64) string {
	if v >= 10_000 {
		return fmt.Sprintf("%.2f kW", v/1000)
	}
	return fmt.Sprintf("%.0f W", v)
}

// ClockText is a time of day, with its date if that differs from the date of the previous time.
func ClockText(t, before time.Time) string {
	if y, d := t.Year(), t.YearDay(); y == before.Year() && d == before.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
