package output

import (
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

func stateText(r *report.Report) string {
	j := &r.Job
	s := j.State
	if j.Code != nil {
		s += fmt.Sprintf(", exit code %d", *j.Code)
	}
	if j.Signal != 0 {
		s += fmt.Sprintf(", signal %d", j.Signal)
	}
	if a := r.Accounting; a != nil && advice.IsStepOutOfMemory(a.OutOfMemory) {
		s += ", step " + a.OutOfMemory + " out of memory"
	}
	if j.Partition != "" {
		s += ", partition " + j.Partition
	}
	if j.Account != "" {
		s += ", account " + j.Account
	}
	if j.QOS != "" {
		s += ", QOS " + j.QOS
	}
	if j.User != "" {
		s += ", user " + j.User
	}
	return s
}

func suspendedText(w *report.Watched) string {
	if w.Suspended == 0 {
		return ""
	}
	return ", suspended for " + advice.SpanText(w.Suspended)
}

func hoursText(h *report.Hours) string {
	s := fmt.Sprintf("%.2f given, %.2f seen", h.Given, h.Seen)
	if h.Used != nil {
		s += fmt.Sprintf(", %.2f used", *h.Used)
	}
	return s
}

func utilizationText(u *report.Util) string {
	switch {
	case u == nil:
		return ""
	case placeText(u.LowestAt) == placeText(u.HighestAt):
		return "mean " + advice.PercentText(u.Mean)
	}
	return fmt.Sprintf("mean %s, lowest %s%s, highest %s%s", advice.PercentText(u.Mean),
		advice.PercentText(u.Lowest), placeText(u.LowestAt), advice.PercentText(u.Highest), placeText(u.HighestAt))
}

// placeText names a place in brackets. A report from somebody else may lack it.
func placeText(p *report.Place) string {
	if p == nil {
		return ""
	}
	return " (" + p.String() + ")"
}

func memoryText(m *report.Memory) string {
	switch {
	case m == nil:
		return ""
	case m.Limit == nil:
		return fmt.Sprintf("peak %s%s, without a limit", advice.GiBText(m.Peak), placeText(m.At))
	}
	return fmt.Sprintf("peak %s of %s%s, headroom %s", advice.GiBText(m.Peak), advice.GiBText(*m.Limit), placeText(m.At),
		advice.GiBText(*m.Limit-min(m.Peak, *m.Limit)))
}

func energySource(from string) string {
	switch from {
	case report.FromCounter:
		return ", counted by the driver"
	case report.FromSamples:
		return ", power over time"
	}
	return ", partly counted by the driver, partly power over time"
}

func throttledText(list []report.Throttled, several bool) string {
	var parts []string
	for _, t := range list {
		parts = append(parts, reasonWords[t.Reason]+" "+advice.SpanText(t.Seconds))
	}
	if len(parts) == 0 {
		return ""
	}
	if several {
		return strings.Join(parts, ", ") + " (sum of all GPUs)"
	}
	return strings.Join(parts, ", ")
}

func energyText(e *report.Energy) string { return kWh(e.KWh) }

// kWh keeps four digits of small amounts: a short run on one GPU uses a few Wh.
func kWh(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.4f kWh", v)
	}
	return fmt.Sprintf("%.1f kWh", v)
}

// reasonWords are the words for reasons of reduced clocks.
var reasonWords = map[string]string{
	"hw_thermal_slowdown": "hardware thermal", "sw_thermal_slowdown": "software thermal",
	"hw_power_brake_slowdown": "power brake", "sw_power_cap": "power limit", "sync_boost": "sync boost",
}
