package pace

import (
	"testing"
	"time"
)

// A GPU lags again and again if it does so in a rhythm, and catches up with the others each time.
func TestBouts(t *testing.T) {
	const step = 3 * time.Second
	for name, tc := range map[string]struct {
		at    []int // seconds at which bouts begin
		lasts int
		now   int
		want  string
		own   float32 // utilization between the bouts, while the others have 100%
	}{
		"each minute":    {[]int{0, 60, 120, 180, 240}, 21, 265, "24s of 1m0s", 98},
		"half better":    {[]int{0, 60, 120, 180, 240}, 21, 265, "", 80},
		"four times":     {[]int{0, 60, 120, 180}, 21, 265, "", 98},
		"long ago":       {[]int{0, 60, 120, 180, 240}, 21, 500, "", 98},
		"at any time":    {[]int{0, 20, 150, 170, 400, 420}, 9, 425, "", 98},
		"each 4 minutes": {[]int{0, 240, 480, 720, 960}, 21, 990, "", 98},
	} {
		g := New("m")
		group := Group{GPUs: []*GPU{g}, Works: true}
		group.Median[Util] = 100
		for _, from := range tc.at {
			for s := 0; s <= tc.lasts; s += 3 {
				g.Bout(t0.Add(time.Duration(from+s)*time.Second), step, Numbers{}, Numbers{})
			}
			g.now[Util] = tc.own
			group.catchUp(t0.Add(time.Duration(from+tc.lasts+3) * time.Second))
		}
		got := ""
		if r, is := g.Bouts.Rhythm(t0.Add(time.Duration(tc.now)*time.Second), step); is {
			got = r.Lasts.String() + " of " + r.Each.String()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
