package say

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// Progress says how far the program of a job is, in parts, the most important first. What is not known has no part.
func Progress(j *cluster.JobView, now time.Time) (parts []string) {
	p := j.Progress
	if p == nil {
		return nil
	}
	for _, text := range []string{stepText(p), paceText(p, now), Earlier(p, now), lossText(p), silenceText(p, now),
		endText(j, now),
		reachText(j, now)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return parts
}

// stepText says the step: "step 41,200 of 100,000", "epoch 3 of 10, step 200 of 400".
func stepText(p *cluster.JobProgress) string {
	text := ""
	if p.Epoch != nil && !p.IsOfRun() {
		text = "epoch " + strconv.FormatFloat(*p.Epoch, 'f', -1, 64)
		if p.Epochs != nil {
			text += " of " + withCommas(*p.Epochs)
		}
	}
	if p.Step == nil {
		return text
	}
	if text != "" {
		text += ", "
	}
	text += "step " + withCommas(*p.Step)
	if p.Total != nil {
		text += " of " + withCommas(*p.Total)
	}
	return text
}

// Pace says the time of a step: "3.1 s/step"; "": not known.
func Pace(p *cluster.JobProgress) string {
	if p.SecondsPerStep == nil {
		return ""
	}
	unit, of := paceUnit(p)
	return twoDigits(*p.SecondsPerStep*of) + " " + unit + "/step"
}

// paceUnit returns the unit in which the time of a step is written, and how many of it a second has.
func paceUnit(p *cluster.JobProgress) (unit string, of float64) {
	if *p.SecondsPerStep < 0.01 {
		return "ms", 1000
	}
	return "s", 1
}

// paceText says the pace, and what it was before it became slower: "3.1 s/step (2.4 until 02:10)"; or where it comes
// from if the log does not say it: "14 s/step by the GPUs' power".
func paceText(p *cluster.JobProgress, now time.Time) string {
	text := Pace(p)
	if text != "" && p.Slower != nil {
		_, of := paceUnit(p)
		text += " (" + twoDigits(p.Slower.Before*of) + " until " + clockTime(p.Slower.Since, now) + ")"
	}
	if text != "" && p.Source == progress.Measured {
		text += " by the GPUs' power"
	}
	return text
}

// alike is the share of the time of a step up to which two runs are as fast as each other.
const alike = 0.03

// Earlier compares the pace with that of an earlier job: "9 % faster than 48102 (24 Nov)";
// "": none is known.
func Earlier(p *cluster.JobProgress, now time.Time) string {
	e := p.Earlier
	if e == nil || p.SecondsPerStep == nil {
		return ""
	}
	change := *p.SecondsPerStep/e.SecondsPerStep - 1
	how := "as fast as"
	switch percent := int(math.Round(100 * math.Abs(change))); {
	case change > 1:
		how = twoDigits(change+1) + " times as slow as"
	case change > alike:
		how = strconv.Itoa(percent) + " % slower than"
	case change < -alike:
		how = strconv.Itoa(percent) + " % faster than"
	}
	if e.Seen.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return how + " " + e.Job
	}
	return how + " " + e.Job + " (" + e.Seen.Format("2 Jan") + ")"
}

func lossText(p *cluster.JobProgress) string {
	switch {
	case p.Diverged:
		return "loss is NaN or inf"
	case p.Loss != nil:
		return fmt.Sprintf("loss %.3g", *p.Loss)
	}
	return ""
}

// silenceText says that the log does not grow any more: "log silent for 12 min".
func silenceText(p *cluster.JobProgress, now time.Time) string {
	if p.Silence == nil {
		return ""
	}
	return "log silent for " + spanText(now.Sub(p.Silence.Since)) + ", usually " + spanText(p.Silence.Usual)
}

// endText says when the run ends: "ends in 50 h: 34 h after its limit".
func endText(j *cluster.JobView, now time.Time) string {
	f := j.Forecast(now)
	switch {
	case f == nil:
		return ""
	case j.End.IsZero():
		return "ends in " + spanText(f.EndsIn)
	case f.After > 0:
		return "ends in " + spanText(f.EndsIn) + ": " + spanText(f.After) + " after its limit"
	}
	return "ends in " + spanText(f.EndsIn) + ": " + spanText(-f.After) + " before its limit"
}

// reachText says how far a run comes that does not end in time: "at this pace it reaches 62 %".
func reachText(j *cluster.JobView, now time.Time) string {
	f := j.Forecast(now)
	if f == nil || j.End.IsZero() || f.After <= 0 || f.Done == nil {
		return ""
	}
	return fmt.Sprintf("at this pace it reaches %d %%", int(*f.Done*100))
}

// clockTime is a time of day, with the date if that is not today.
func clockTime(t, now time.Time) string {
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("15:04 on 2 Jan")
}

// twoDigits is a number with two digits that count, or all before its point.
func twoDigits(v float64) string {
	switch {
	case v >= 9.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 0.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return fmt.Sprintf("%.2g", v)
}

// spanText is a duration in one unit: "40 s", "12 min", "7.5 h", "50 h", "9 days".
func spanText(d time.Duration) string {
	d = max(d, 0)
	switch h := d.Hours(); {
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case h < 9.95:
		return strconv.FormatFloat(h, 'f', 1, 64) + " h"
	case h < 100:
		return strconv.FormatFloat(h, 'f', 0, 64) + " h"
	default:
		return strconv.FormatFloat(h/24, 'f', 0, 64) + " days"
	}
}

// withCommas is a number with a comma after each thousand: "41,200".
func withCommas(n int64) string {
	text := strconv.FormatInt(n, 10)
	least := 0
	if n < 0 {
		least = 1
	}
	for i := len(text) - 3; i > least; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
