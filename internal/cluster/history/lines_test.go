package history

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func TestBins(t *testing.T) {
	const shortest, longest = 2 * time.Minute, 24 * time.Hour // the limits of the setting
	for _, tc := range []struct {
		poll, span, width time.Duration
		length            int
	}{
		{time.Second / 4, 0, time.Second, 720}, {3 * time.Second, 0, 3 * time.Second, 240},
		{time.Minute, 0, time.Minute, 60}, {3 * time.Second, Usual, 3 * time.Second, 240},
		{3 * time.Second, shortest, 3 * time.Second, 60}, {3 * time.Second, time.Hour, 6 * time.Second, 720},
		{time.Second / 4, 3 * time.Hour, 18 * time.Second, 720}, {3 * time.Second, longest, 144 * time.Second, 720},
		{10 * time.Minute, longest, 10 * time.Minute, 172},
	} {
		if w, n := BinWidth(tc.poll, tc.span), Len(tc.poll, tc.span); w != tc.width || n != tc.length {
			t.Errorf("at a poll of %v %v are %d bins of %v, want %d of %v", tc.poll, tc.span, n, w, tc.length, tc.width)
		}
		// docs/SCALE.md says how much memory that is
		metrics := len(metric.Kept)
		if tc.width == tc.poll {
			metrics++ // MeanPower
		}
		if bytes := tc.length * 9 / 8 * metrics * int(unsafe.Sizeof(packedFloat(0))); bytes > 18_000 {
			t.Errorf("%v at a poll of %v take %d bytes", tc.span, tc.poll, bytes)
		}
	}
}

// A metric costs nothing before its first value, and its past then begins there. A bin of bits has all that its samples
// had.
func TestHistoryOfLateAndOfBits(t *testing.T) {
	var h History
	add := func(bin int64, values map[metric.ID]float64) {
		v := metric.Make(values)
		h.Add(bin, Len(3*time.Second, 0), v.Float)
	}
	add(1, nil)
	if oldest, ok := h.Oldest(); !ok || oldest != 1 || len(h.lines) != 0 {
		t.Errorf("without a value there are %d lines from bin %d, %v", len(h.lines), oldest, ok)
	}
	add(2, map[metric.ID]float64{metric.Throttle: 4})
	before := h
	add(2, map[metric.ID]float64{metric.Throttle: 0x40})
	add(2, map[metric.ID]float64{metric.Throttle: 0, metric.Util: 50})
	add(4, map[metric.ID]float64{metric.Throttle: 1 << 30, metric.Util: 60})
	if got := tail(h, metric.Throttle); got != "68 NaN 0" {
		t.Errorf("the bits are %s", got)
	}
	if got := tail(h, metric.Util); got != "50 NaN 60" {
		t.Errorf("the late line is %s", got)
	}
	if oldest, _ := h.Oldest(); oldest != 1 || h.Has(metric.Power) || !h.Has(metric.Util) || len(h.lines) != 2 {
		t.Errorf("%d lines from bin %d", len(h.lines), oldest)
	}
	if got := tail(before, metric.Throttle); got != "4" || before.Has(metric.Util) {
		t.Errorf("a copy has changed: %s", got)
	}
}

// A row has room for an eighth more than is kept.
func TestHistoryHasLittleRoom(t *testing.T) {
	var h History
	v := metric.Make(map[metric.ID]float64{metric.Util: 50})
	for bin := range int64(1203) {
		h.Add(bin, Len(3*time.Second, 0), v.Float)
	}
	if most := Len(3*time.Second, 0) * 9 / 8; len(h.past.values) > most {
		t.Errorf("there is room for %d samples, want at most %d", len(h.past.values), most)
	}
}

// tail is the history of a number from its first sample on.
func tail(h History, id metric.ID) string {
	newest, _ := h.Newest()
	tail := h.Tail(nil, id, newest, Len(3*time.Second, 0))
	var b strings.Builder
	for _, v := range tail {
		if b.Len() > 0 || v == v {
			b.WriteString(" " + strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}
