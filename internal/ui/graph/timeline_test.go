package graph

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The hardware's own reasons come with a general one, which alone says something.
func TestReasonIn(t *testing.T) {
	slowdown := &reasons[slices.IndexFunc(reasons, func(r reason) bool { return r.name == "hardware slowdown" })]
	for sample, want := range map[uint64]bool{
		0: false, wire.ThrottleHWSlowdown: true, wire.ThrottleHWSlowdown | wire.ThrottleSWPowerCap: true,
		wire.ThrottleHWSlowdown | wire.ThrottleHWThermal:    false,
		wire.ThrottleHWSlowdown | wire.ThrottleHWPowerBrake: false, wire.ThrottleHWThermal: false,
	} {
		if slowdown.isInSample(float32(sample)) != want {
			t.Errorf("%#x: %v", sample, !want)
		}
	}
}

func TestLasted(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", time.Minute: "1m00s", 72*time.Second + 999*time.Millisecond: "1m12s",
		time.Hour - time.Second: "59m59s", time.Hour: "1h",
		90 * time.Minute: "1h30m",
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// Times when nothing is known of stay empty, others without the reason are dotted. The total counts the seconds with
// it.
func TestTimeline(t *testing.T) {
	past := slices.Repeat([]float64{0}, 120)
	for i := range 30 {
		past[i] = gap
	}
	for i := 100; i < 120; i++ {
		past[i] = wire.ThrottleSWThermal
	}
	g := gpu(map[metric.ID]float64{metric.Throttle: wire.ThrottleSWThermal}, metric.Throttle, past...)
	f := frame(100, 9)
	tl := NewTimeline(f, g)
	tl.Draw(f, 0, 2)
	lines := shown(f)
	if !strings.HasPrefix(lines[0], " heat (hardware) ") || !strings.HasSuffix(lines[0], " –") ||
		strings.Contains(lines[0], "█") {
		t.Errorf("a reason that did not occur: %q", lines[0])
	}
	if !strings.HasPrefix(lines[1], " heat (software) ") || !strings.HasSuffix(lines[1], " 20s") || lines[2] != "" {
		t.Errorf("the reason that did, and what is below it: %q", lines[1:3])
	}
	cells := []rune(lines[1])[tl.x : tl.x+tl.w]
	for i, cell := range cells {
		want := '╌'
		switch second := (i*120 + 60) / tl.w; {
		case second < 28:
			want = ' '
		case second < 32, second > 97 && second < 102:
			continue // the columns at the edges
		case second >= 100:
			want = '█'
		}
		if cell != want {
			t.Errorf("column %d of %d is %q, want %q: %q", i, tl.w, cell, want, string(cells))
		}
	}
	if want := "last 2 min · 1 column = 1.7 s"; tl.Title() != want {
		t.Errorf("title %q, want %q", tl.Title(), want)
	}
}

// Reasons that occurred come before the usual ones, in the order of the list.
func TestTimelineChooses(t *testing.T) {
	g := gpu(nil, metric.Throttle, wire.ThrottleGPUIdle, wire.ThrottleSWPowerCap, gap)
	for rows, want := range map[int][]int{0: nil, 1: {3}, 2: {3, 8}, 3: {0, 3, 8}, 4: {0, 1, 3, 8},
		9: {0, 1, 2, 3, 4, 5, 6, 7, 8}, 20: {0, 1, 2, 3, 4, 5, 6, 7, 8}} {
		if got := NewTimeline(frame(100, 9), g).chosenReasons(rows); !slices.Equal(got, want) {
			t.Errorf("%d rows: %v, want %v", rows, got, want)
		}
	}
}

// In a terminal of any width nothing reaches the last column, and a GPU without reasons says why in place of them.
func TestTimelineAtAnyWidth(t *testing.T) {
	g := gpu(nil, metric.Throttle, wire.ThrottleSWPowerCap)
	bare := gpu(nil, metric.Util, 1)
	bare.Card.Absent = map[string][]string{"Not Supported": {metric.Throttle.String()}}
	for w := 1; w <= 200; w++ {
		f := frame(w, 9)
		NewTimeline(f, g).Draw(f, 0, 9)
		for _, line := range shown(f) {
			if n := len([]rune(line)); n == w && n > 17 {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		f = frame(w, 9)
		NewTimeline(f, bare).Draw(f, 0, 9)
		if line := shown(f)[0]; w > 22 && line != " n/a (Not Supported)" {
			t.Errorf("%d columns, without the metric: %q", w, line)
		}
	}
}
