package graph

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The engines have the longest names and bars with which all fit. In a narrow terminal the last ones are left out,
// never cut.
func TestEngines(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.SMActive: 97, metric.TensorActive: 0, metric.Encoder: 100}, metric.Util, 1, 1)
	g.Card.Absent = map[string][]string{"Not Supported": {metric.SMOccupancy.String(), metric.DRAMActive.String(),
		metric.Decoder.String(), metric.JPEG.String(), metric.OFA.String()}}
	drawn := func(width int) string {
		f := frame(width, 1)
		Engines(f, 0, g)
		return shown(f)[0]
	}
	if line := drawn(300); line != drawn(100) || !strings.HasPrefix(line, " SM active ") {
		t.Errorf("bars in a wide terminal: %q", line)
	}
	for width := 1; width <= 200; width++ {
		line := drawn(width)
		names := 0
		for _, name := range []string{"SM active ", "tensor ", "encoder "} {
			if strings.Contains(line, name) {
				names++
			}
		}
		short := strings.Contains(line, "enc ")
		switch {
		case width < 10 && line != "", width >= 10 && !strings.HasPrefix(line, " SM "):
			t.Errorf("%d columns: %q", width, line)
		case strings.Count(line, "%") != strings.Count(line, "SM")+strings.Count(line, "tensor")+
			strings.Count(line, "enc"):
			t.Errorf("%d columns: an engine without its number: %q", width, line)
		case width >= 60 && names != 3, width == 50 && !short:
			t.Errorf("%d columns: %q", width, line)
		case strings.Contains(line, "occ") || strings.Contains(line, "JPEG"):
			t.Errorf("%d columns: it shows what the GPU has not: %q", width, line)
		}
	}
}

// An engine of which there is no number now is no engine at rest: n/a, or a dash where the GPU gives no numbers at all.
func TestAnEngineWithoutANumber(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.SMActive: 0}, metric.SMActive, 5)
	remember(g, nil)
	f := frame(200, 1)
	Engines(f, 0, g)
	if line := shown(f)[0]; strings.Count(line, " 0%") != 1 || strings.Count(line, "n/a") != len(engines)-1 {
		t.Errorf("got %q", line)
	}
	g.Values, g.Lost = metric.Values{}, "GPU is lost"
	f = frame(200, 1)
	Engines(f, 0, g)
	if line := shown(f)[0]; strings.Contains(line, "%") || strings.Count(line, "–") != len(engines) {
		t.Errorf("of a GPU that is lost: %q", line)
	}
}

func TestMissing(t *testing.T) {
	g := gpu(nil, metric.Util)
	if got := Missing(g); got != "" {
		t.Errorf("of a GPU of which nothing is known: %q", got)
	}
	g.Card.Absent = map[string][]string{
		"Not Supported": {metric.NVLinkTX.String(), metric.NVLinkRX.String(), metric.JPEG.String()},
		"No Permission": {metric.PCIeRX.String()},
	}
	if got, want := Missing(g), "n/a: NVLink, JPEG (Not Supported); PCIe (No Permission)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f := frame(200, 50)
	for _, c := range NewGPUCharts(f, g).charts {
		if c.name == "NVLink" || c.name == "PCIe" {
			t.Errorf("there is a chart of %s", c.name)
		}
	}
}

// As many charts as fit are drawn, the most wanted first, and none is cut. In low terminals the axis stands below the
// last line only.
func TestGPUCharts(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.Util: 50}, metric.Util, 50) // with one report it is not known what it lacks
	for _, test := range []struct {
		width, height, rows int
		charts, axes        int
	}{
		{200, 50, 30, 8, 8}, {200, 50, 11, 4, 4}, {200, 50, 5, 0, 0}, {120, 50, 12, 4, 4}, {100, 24, 9, 4, 2},
		{69, 24, 9, 2, 1}, {69, 24, 5, 1, 1}, {69, 24, 4, 0, 0},
	} {
		f := frame(test.width, test.height)
		c := NewGPUCharts(f, g)
		c.Draw(f, 0, test.rows)
		lines := shown(f)
		all := strings.Join(lines[:test.rows], "\n")
		charts := strings.Count(all, "50%") + strings.Count(all, "n/a") // each has its value now
		if axes := strings.Count(all, " now"); charts != test.charts || axes != test.axes {
			t.Errorf("%+v: %d charts, %d axes:\n%s", test, charts, axes, all)
		}
		if rest := strings.TrimSpace(strings.Join(lines[test.rows:], "")); rest != "" {
			t.Errorf("%+v: below it stands %q", test, rest)
		}
	}
}

// A sheet draws what was gathered, with a scale that the samples or a limit give, and old values dim.
func TestSheet(t *testing.T) {
	samples := func(v float32) func(int) []float32 {
		return func(n int) []float32 { return slices.Repeat([]float32{v}, n) }
	}
	for _, test := range []struct {
		width, rows, charts, across int
	}{{120, 30, 5, 2}, {200, 30, 5, 3}, {200, 12, 5, 3}, {200, 11, 4, 4}, {60, 12, 2, 1}} {
		f := frame(test.width, 50)
		s := NewSheet(10, 40, 3*time.Second, false)
		s.Share("first %", 42, samples(42))
		s.Amount("second", "7 GiB", 0, 1<<30, samples(7<<30))
		s.Amount("third", "1 GiB", 80<<30, 1<<30, samples(1<<30))
		s.Share("fourth %", 1, samples(1))
		s.Share("fifth %", math.NaN(), samples(1))
		s.Draw(f, 0, test.rows)
		text := strings.Join(shown(f)[:test.rows], "\n")
		if got := strings.Count(text, " now"); got != test.charts || strings.Count(shown(f)[0], "%")+
			strings.Count(shown(f)[0], " GiB") == 0 {
			t.Errorf("%+v: %d charts:\n%s", test, got, text)
		}
		if got := strings.Count(text[:strings.Index(text, "now")], "-2m"); got < 1 ||
			strings.Count(strings.Split(text, "\n")[1], "┊") != test.across {
			t.Errorf("%+v: not so many beside each other:\n%s", test, text)
		}
		for _, want := range []string{"first %", "42%", "second", "10┊", "80┊"}[:min(2*test.across, 5)] {
			if !strings.Contains(text, want) {
				t.Errorf("%+v: there is no %q:\n%s", test, want, text)
			}
		}
	}
	if got := NewSheet(10, 40, 3*time.Second, false).Title(); got != "Last 2 min" {
		t.Errorf("the title is %q", got)
	}
}

// A share that is measured with a decimal has it below 10 %: 0.4 % is not nothing.
func TestASmallShare(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.SMActive: 9.96, metric.TensorActive: 0.4, metric.DRAMActive: 40.4,
		metric.Encoder: 7}, metric.Util, 1, 1)
	f := frame(200, 1)
	Engines(f, 0, g)
	for _, want := range []string{" 10% ", " 0.4% ", " 40% ", " 7% "} {
		if line := shown(f)[0]; !strings.Contains(line+" ", want) {
			t.Errorf("no%q in %q", want, line)
		}
	}
}
