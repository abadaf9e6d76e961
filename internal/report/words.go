package report

import (
	"fmt"
	"time"
)

// none stands for an unknown value.
const none = "-"

// short formats a duration with its two largest units: "28s", "5m 3s", "1h 12m", "2d 4h".
func short(d time.Duration) string {
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

// spoken is short for a number of seconds.
func spoken(seconds float64) string { return short(time.Duration(seconds * float64(time.Second))) }

func percent(v float64) string { return fmt.Sprintf("%.1f%%", v) }

func gib(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

func watts(v float64) string {
	if v >= 10_000 {
		return fmt.Sprintf("%.2f kW", v/1000)
	}
	return fmt.Sprintf("%.0f W", v)
}

// energy keeps four digits of small amounts: a short run of one GPU uses some Wh.
func energy(e *Energy) string {
	if e.KWh < 10 {
		return fmt.Sprintf("%.4f kWh", e.KWh)
	}
	return fmt.Sprintf("%.1f kWh", e.KWh)
}

// reasonWords are the words for reasons of reduced clocks.
var reasonWords = map[string]string{
	"hw_thermal_slowdown": "hardware thermal", "sw_thermal_slowdown": "software thermal",
	"hw_power_brake_slowdown": "power brake", "sw_power_cap": "power limit", "sync_boost": "sync boost",
}

// clock is a time of day, with its date if that differs from the date of the previous time.
func clock(t, before time.Time) string {
	if y, d := t.Year(), t.YearDay(); y == before.Year() && d == before.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
