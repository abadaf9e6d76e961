package history

import (
	"math"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A mean covers the last time, whatever the width of the bins, and gaps do not count.
func TestMean(t *testing.T) {
	begin := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		width, every, watched, over time.Duration
		want                        float64 // of a metric that rises by 1 each minute, from 0
	}{
		{3 * time.Second, 3 * time.Second, 20 * time.Minute, 5 * time.Minute, 17},
		{time.Minute, time.Minute, 20 * time.Minute, 5 * time.Minute, 17},
		{time.Second, 30 * time.Second, 20 * time.Minute, 5 * time.Minute, 17}, // nobody looks
		{3 * time.Second, 3 * time.Second, 2 * time.Minute, 5 * time.Minute, 0.5},
		{3 * time.Second, time.Minute, 3 * time.Minute, 5 * time.Minute, math.NaN()},
	} {
		var h History
		last := begin
		for past := time.Duration(0); past < test.watched; past += test.every {
			last = begin.Add(past)
			h.Add(last.UnixNano()/int64(test.width), 720, func(id metric.ID) float64 {
				if id == metric.Util {
					return math.Floor(past.Minutes())
				}
				return math.NaN()
			})
		}
		got := h.Mean(metric.Util, last, test.over)
		if math.Abs(got-test.want) > 0.03 || (got == got) != (test.want == test.want) {
			t.Errorf("bins of %v, samples every %v for %v: %g, want %g", test.width, test.every, test.watched, got, test.want)
		}
	}
	if none := (&History{}).Mean(metric.Util, begin, time.Minute); none == none {
		t.Errorf("%g of nothing", none)
	}
}
