package signs

import (
	"fmt"
	"math"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A process is starved by its host side with less than half the CPU time of the others, if they need some.
func TestStarved(t *testing.T) {
	for _, tc := range []struct {
		own, others float64
		want        bool
	}{
		{49, 100, true}, {50, 100, false}, {90, 100, false}, {9, 20, true}, {0, 19, false}, {0, 0, false},
	} {
		if got := Starved(tc.own, tc.others); got != tc.want {
			t.Errorf("%v %% of a core beside %v %%: %v", tc.own, tc.others, got)
		}
	}
}

// CPUs are counted as the kernel lists them. What is no such list, as in a masked recording, is unknown.
func TestCPUsIn(t *testing.T) {
	for list, want := range map[string]float64{
		"0": 1, "0-15": 16, "0-15,64-79": 32, "3,5,7-8": 4, "0-65535": 65536,
		"": -1, "x": -1, "5-3": -1, "0-15,": -1, "-1": -1, "0-9999999": -1, "1-2-3": -1,
	} {
		if got := cpusIn(list); got != want && !(want < 0 && got != got) {
			t.Errorf("%q: %v", list, got)
		}
	}
}

// A difference is named if it is large, and known of both sides.
func TestHost(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		own, others HostShare
		want        string // bound, reads less, reads more, writes more
	}{
		{HostShare{1, 2e6, 0}, HostShare{16, 300e6, 0}, "true true false false"},
		{HostShare{16, 300e6, 400e6}, HostShare{16, 2e6, 0}, "false false true true"},
		{HostShare{8, 20e6, 0}, HostShare{16, 60e6, 300e6}, "false false false false"},
		{HostShare{1, 0, 0}, HostShare{2, 9e6, 0}, "false false false false"},
		{HostShare{nan, nan, nan}, HostShare{16, 300e6, 0}, "false false false false"},
		{HostShare{1, 0, 300e6}, HostShare{nan, nan, nan}, "false false false false"},
	} {
		h := Host{tc.own, tc.others}
		if got := fmt.Sprint(h.Bound(), h.ReadsLess(), h.ReadsMore(), h.WritesMore()); got != tc.want {
			t.Errorf("%v beside %v: %s, want %s", tc.own, tc.others, got, tc.want)
		}
	}
}

// A process is seen at work if it writes much, or uses a core and reads or writes: a loop without end does neither.
func TestMoves(t *testing.T) {
	for name, tc := range map[string]struct {
		cpu, read, write any
		want             bool
	}{
		"writes much":      {0.0, nil, uint64(4e8), true},
		"reads and works":  {100.0, uint64(25e6), nil, true},
		"loops":            {100.0, uint64(0), uint64(2e3), false},
		"only works":       {100.0, nil, nil, false},
		"reads, but waits": {1.0, uint64(25e6), uint64(0), false},
		"unknown":          {nil, nil, nil, false},
	} {
		var p wire.Process
		if v, known := tc.cpu.(float64); known {
			p.CPUPercent = &v
		}
		if v, known := tc.read.(uint64); known {
			p.IORead = &v
		}
		if v, known := tc.write.(uint64); known {
			p.IOWrite = &v
		}
		if got := Moves(&p); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
