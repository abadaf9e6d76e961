package progress

import (
	"fmt"
	"testing"
	"time"
)

// A past has the last point of each bin, none that is too old, and nothing of the time in which the log was silent. It
// never changes.
func TestPast(t *testing.T) {
	began, bin := time.Unix(1_800_000_000, 0), 2*time.Second
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	var p Past
	add := func(s int, pace float64, silent bool, slower *Slower) {
		p = p.AddPoint(at(s), &Progress{SecondsPerStep: &pace, Slower: slower}, silent, bin, 12*time.Second)
	}
	paces := func(to, n int) string {
		return fmt.Sprint(p.Last(at(to).UnixNano()/int64(bin), bin, n, func(o *Point) float32 { return o.SecondsPerStep }))
	}
	add(0, 1, false, nil)
	add(1, 2, false, nil)
	before := p
	if got := paces(4, 4); got != "[NaN 2 2 2]" {
		t.Errorf("until the next line %s", got)
	}
	add(6, 3, false, &Slower{Before: 2, Since: at(4)})
	add(8, 4, false, &Slower{Before: 2, Since: at(4)})
	add(10, 4, true, &Slower{Before: 2, Since: at(4)})
	if got := paces(12, 8); got != "[NaN 2 2 2 3 4 NaN NaN]" || fmt.Sprint(p.Changes()) != fmt.Sprint([]time.Time{at(4)}) {
		t.Errorf("%s, slower at %v", got, p.Changes())
	}
	if add(14, 5, false, nil); len(p) != 4 || len(before) != 1 || before[0].SecondsPerStep != 2 {
		t.Errorf("%v after %v", p, before)
	}
	p = p.AddPoint(at(16), &Progress{}, false, bin, time.Hour)
	if got := paces(16, 2); got != "[5 NaN]" {
		t.Errorf("of a log that is another one now %s", got)
	}
}
