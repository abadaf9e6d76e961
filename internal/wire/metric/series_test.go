package metric

import (
	"regexp"
	"strings"
	"testing"
)

// Each name of a time series is one that Prometheus takes, in a base unit, and each series has one row.
func TestSeriesNames(t *testing.T) {
	units := map[Unit]string{Percent: "_ratio", Relative: "_ratio", Celsius: "_celsius", Watts: "_watts", MHz: "_hertz",
		Bytes: "_bytes", Seconds: "_seconds", Joules: "_joules", BytesPerSecond: "_bytes_per_second",
		Count: "", Bits: ""}
	proper := regexp.MustCompile(`^nvnodetop_(gpu|node)_[a-z0-9]+(_[a-z0-9]+)*$`)
	series, shared, dcgm := map[string]ID{}, map[string]int{}, map[string]ID{}
	for id := range count {
		row := id.Row()
		name := row.SeriesName()
		suffix, known := units[row.Unit]
		if !known {
			t.Errorf("%v is in %v: name its base unit here, and convert other units in Base (series.go)", id, row.Unit)
		}
		if inBase := strings.HasSuffix(row.Key, suffix); inBase != (row.Base(1) == 1) {
			t.Errorf("%v is a series in %q, and Base (series.go) makes %v of 1", id, suffix, row.Base(1))
		}
		bare, total := strings.CutSuffix(name, "_total")
		if !proper.MatchString(name) || total != row.Counter || !strings.HasSuffix(bare, suffix) ||
			strings.Contains(name, "percent") {
			t.Errorf("%v is called %s: the key ends in the unit, the series in %q, and in _total if the row is a Counter", id,
				name, suffix)
		}
		if other, twice := series[name+row.Labels]; twice {
			t.Errorf("%v and %v are both %s{%s}", id, other, name, row.Labels)
		}
		series[name+row.Labels] = id
		if shared[name]++; row.SeriesHelp() == "" || shared[name] > 1 && row.SeriesHelp() == row.Help {
			t.Errorf("%s is described by %q", name, row.SeriesHelp())
		}
		if other, twice := dcgm[row.DCGM]; twice && row.DCGM != "" {
			t.Errorf("%v and %v are both %s", id, other, row.DCGM)
		}
		dcgm[row.DCGM] = id
	}
	for bare := range seriesHelp {
		if shared[prefixes[GPU]+bare]+shared[prefixes[Host]+bare] == 0 {
			t.Errorf("%q is described, but no row is called so", bare)
		}
	}
}

func TestSeriesValues(t *testing.T) {
	for _, tc := range []struct {
		id                ID
		value, base, dcgm float64
	}{
		{Util, 7, 0.07, 7},
		{SMActive, 7, 0.07, 0.07},
		{Fan, 120, 1.2, 120},
		{SMClock, 1980, 1.98e9, 1980},
		{MemoryUsed, 5<<20 + 1, 5<<20 + 1, 5},
		{Energy, 12.345, 12.345, 12345},
		{PowerCapTime, 0.057, 0.057, 57e6},
		{PCIeTX, 1e9, 1e9, 1e9},
		{Temperature, -3, -3, -3},
	} {
		row := tc.id.Row()
		if base, dcgm := row.Base(tc.value), row.InDCGM(tc.value); base != tc.base || dcgm != tc.dcgm {
			t.Errorf("%v of %v is %v, in DCGM %v, want %v and %v", tc.value, tc.id, base, dcgm, tc.base, tc.dcgm)
		}
	}
}
