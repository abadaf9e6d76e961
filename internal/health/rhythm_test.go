package health

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A GPU that lags for a part of each minute is one finding, which says how often.
func TestLagsAgainAndAgain(t *testing.T) {
	slow, others := hotGPU, work{util: 99, memory: 30, power: 400, clock: 1780, link: 28e9, used: 70}
	tr := trace{nodes: 2, gpus: 4, age: traceAge, processes: ranked(4, false),
		does: func(at time.Duration, node, gpu int) work {
			switch {
			case at < 10*time.Minute || at%time.Minute >= 20*time.Second:
				return trains
			case node == 1 && gpu == 2:
				slow.throttle = 0
				return slow
			}
			return others
		}}
	all := tr.play(t, 25*time.Minute)
	if len(all) != 1 || all[0].Kind != cluster.KindLag || all[0].Node != "n02" || all[0].GPU != 2 ||
		!strings.Contains(all[0].words.Sentence, " of each 60s: SM clock ") {
		t.Errorf("%v", all)
	}
}

// What a GPU does alone while the others only wait is no lag, however often.
func TestAloneAgainAndAgain(t *testing.T) {
	tr := trace{nodes: 2, gpus: 4, age: traceAge, processes: ranked(4, false),
		does: func(at time.Duration, node, gpu int) work {
			switch {
			case at%(90*time.Second) >= 12*time.Second:
				return trains
			case node == 0 && gpu == 0:
				return idles(0, node, gpu)
			}
			return waits
		}}
	if all := tr.play(t, 40*time.Minute); len(all) > 0 {
		t.Errorf("%v", all)
	}
}
