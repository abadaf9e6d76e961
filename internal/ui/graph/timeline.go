package graph

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// reason is a reason for reduced clocks: a sample has it if any of bits is set, and none of but.
type reason struct {
	name, short string
	bits, but   uint64
	time        metric.ID // the driver's counter of its time; Util: there is none
	bad         bool      // a rule reports it
}

// reasons are the rows of the throttle timeline, the worst first.
var reasons = []reason{
	{name: "heat (hardware)", short: "heat (HW)", bits: wire.ThrottleHWThermal, time: metric.HWThermalTime, bad: true},
	{name: "heat (software)", short: "heat (SW)", bits: wire.ThrottleSWThermal, time: metric.SWThermalTime, bad: true},
	{name: "power brake", bits: wire.ThrottleHWPowerBrake, time: metric.PowerBrakeTime, bad: true},
	{name: "power cap", bits: wire.ThrottleSWPowerCap, time: metric.PowerCapTime},
	{name: "sync boost", bits: wire.ThrottleSyncBoost, time: metric.SyncBoostTime},
	{name: "hardware slowdown", short: "HW slowdown", bits: wire.ThrottleHWSlowdown,
		but: wire.ThrottleHWThermal | wire.ThrottleHWPowerBrake, bad: true},
	{name: "application clocks", short: "app clocks", bits: wire.ThrottleAppClocks},
	{name: "display clocks", bits: wire.ThrottleDisplay},
	{name: "idle", bits: wire.ThrottleGPUIdle},
}

func (r *reason) isInSample(sample float32) bool {
	return uint64(sample)&r.bits != 0 && uint64(sample)&r.but == 0
}

// Timeline shows when the clocks of a GPU were reduced, and why.
type Timeline struct {
	gpu      *cluster.GPU
	axis     axis
	bin      time.Duration
	sampling draw.Sampling
	samples  []float32
	x, w     int // place and width of the time
}

const timelineTotal = 9 // columns after the time

// NewTimeline returns the timeline for a GPU and the width of the terminal.
func NewTimeline(f *part.Frame, g *cluster.GPU) *Timeline {
	t := &Timeline{gpu: g, axis: axisOf(f, []*cluster.GPU{g}).endAtFailure(f.Node), bin: f.Snap.Bin(), x: 21}
	if f.W < 100 {
		t.x = 16
	}
	t.w = max(f.W-1-timelineTotal-t.x, 1)
	t.sampling = draw.Sampling{Newest: t.axis.newest, Bins: t.axis.bins, Dots: t.w}
	t.samples = g.History.Tail(nil, metric.Throttle, t.axis.newest, t.sampling.Values())
	return t
}

// Title says which time the timeline shows, how much of it one column shows, and which time the totals cover.
func (t *Timeline) Title() string {
	column := t.axis.span / time.Duration(t.w)
	text := draw.One(column.Seconds())
	if column >= 10*time.Second {
		text = draw.Whole(column.Seconds())
	}
	text = t.axis.spanText() + " · 1 column = " + text + " s"
	if watched := t.gpu.Watched(); t.hasTimeCounter() && watched > t.axis.span {
		text += " · totals since " + draw.Age(watched)
	}
	return text
}

// hasTimeCounter reports whether the driver counts the time of any of the reasons.
func (t *Timeline) hasTimeCounter() bool {
	return slices.ContainsFunc(reasons, func(r reason) bool {
		_, counted := t.gpu.Grown(r.time)
		return counted
	})
}

// Draw draws a number of reasons from row y on, in the order of the list. Reasons that have occurred are chosen first,
// then those listed first.
func (t *Timeline) Draw(f *part.Frame, y, rows int) {
	if part.Lacks(t.gpu, metric.Throttle) {
		why := part.WhyAbsent(t.gpu, metric.Throttle)
		if why != "" {
			why = " (" + why + ")"
		}
		f.Left(1, y, f.W-2, "n/a"+why, draw.Dim)
		return
	}
	for i, r := range t.chosenReasons(rows) {
		t.row(f, y+i, &reasons[r])
	}
}

// chosenReasons returns the indexes of the reasons to show.
func (t *Timeline) chosenReasons(rows int) []int {
	var chosen []int
	for _, occurred := range []bool{true, false} {
		for i := range reasons {
			if len(chosen) < rows && (t.reasonDuration(&reasons[i]) > 0) == occurred {
				chosen = append(chosen, i)
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

// reasonDuration returns how long a reason has held since nvnodetop started watching, as counted by the driver. Without
// the driver's counter, it returns how long the reason held in the time shown, by samples.
func (t *Timeline) reasonDuration(r *reason) time.Duration {
	if seconds, counted := t.gpu.Grown(r.time); counted {
		return time.Duration(seconds * float64(time.Second))
	}
	n := 0
	for _, v := range t.samples[max(len(t.samples)-t.axis.bins, 0):] {
		if v == v && r.isInSample(v) {
			n++
		}
	}
	return time.Duration(n) * t.bin
}

func (t *Timeline) row(f *part.Frame, y int, r *reason) {
	total := t.reasonDuration(r)
	name, label, number, block := r.name, draw.Dim, draw.Dim, draw.Cell
	if r.short != "" && f.W < 100 {
		name = r.short
	}
	text := "–"
	if total > 0 {
		text, label, number = durationText(total), draw.Text, draw.Text
	}
	if total > 0 && r.bad {
		block, number = draw.Warn, draw.Warn
	}
	if now, known := t.gpu.Get(metric.Throttle); known && r.bad && r.isInSample(float32(now)) && tally.Lost(t.gpu) == "" {
		label = draw.Warn
	}
	f.Left(1, y, t.x-2, name, label)
	held := make([]float32, len(t.samples))
	for i, v := range t.samples {
		switch {
		case v != v:
			held[i] = v
		case r.isInSample(v):
			held[i] = 1
		}
	}
	for i, v := range t.sampling.Resample(held, draw.PoolHighest) {
		switch {
		case v > 0:
			f.Fill(t.x+i, y, 1, '█', block)
		case v == 0:
			f.Fill(t.x+i, y, 1, '╌', draw.Faint)
		}
	}
	if t.w > 1 {
		f.Right(t.x+t.w+1, y, timelineTotal-1, text, number)
	}
}

// durationText is a duration to the second: "40s", "1m12s".
func durationText(d time.Duration) string {
	if s := int(d / time.Second); s >= 60 && s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return draw.Age(d)
}
