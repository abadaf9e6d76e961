package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// stripOf is the strip of a node, as it is drawn below the axis.
func stripOf(lines []string, node string) string {
	column := func(mark string) int { return len([]rune(strings.SplitN(lines[3], mark, 2)[0])) }
	line := append([]rune(lines[rowOf(lines[4:], " "+node)+4]), []rune(strings.Repeat(" ", 300))...)
	return string(line[column("-10m") : column("now")+len("now")])
}

// A row has the past of its node: heights, letters while a rule held, also one that is over, or where memory errors
// began, marks while the node did not report, and blanks where nothing is known.
func TestTimes(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.TroubledFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "vv"}, 120, 40)
	lines := d.lines()
	if !strings.Contains(lines[2], "lowest utilization of each node") ||
		!strings.Contains(lines[2], "one column = 9s") {
		t.Errorf("the rule is %q", lines[2])
	}
	for node, want := range map[string]struct {
		counts map[string]int
		ends   string
	}{
		"gpu-n01": {map[string]int{"P": 8, "T": 5, " ": 0}, "▃TTTTT"}, "gpu-n02": {map[string]int{"E": 1, "░": 4},
			"░░░░▂▂▂▂▂▂▂▂▂"},
		"gpu-n03": {map[string]int{"·": 11, " ": 26}, "▇▇▇▇"}, "gpu-n04": {map[string]int{"✗": 21, " ": 46}, "✗✗✗"},
	} {
		strip := stripOf(lines, node)
		if len([]rune(strip)) != 67 || !strings.HasSuffix(strip, want.ends) {
			t.Errorf("%s: the strip is %q", node, strip)
		}
		for glyph, n := range want.counts {
			if got := strings.Count(strip, glyph); got != n {
				t.Errorf("%s: %q has %d of %q, want %d", node, strip, got, glyph, n)
			}
		}
	}
}

// A slow GPU is seen behind the other problems of its node, and an error that is older than our first look does not
// hide the past.
func TestTimesShowTheSlowGPU(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := uitest.TroubledFixture()
		s.Jobs[0].Findings = []cluster.Finding{
			{Kind: cluster.KindLag, Severity: cluster.Warning, Since: uitest.Ago(90 * time.Second), Node: "gpu-n02", GPU: 3,
				Key: s.Nodes["gpu-n02"].GPUs[3].Key},
			{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: uitest.Ago(60 * time.Second), Node: "gpu-n02",
				GPU: 5},
			{Kind: cluster.KindECC, Severity: cluster.Warning, Since: uitest.Ago(8 * time.Minute), Before: true,
				Node: "gpu-n02", GPU: 3},
			{Kind: cluster.KindECC, Severity: cluster.Warning, Since: uitest.Ago(8 * time.Minute), Before: true,
				Node: "gpu-n01", GPU: 3},
		}
		return s
	}
	lines := newDesk(t, shot{snap: snap, view: func(v *view) { v.on = keys.OnOverview }, typed: "vv"}, 120,
		40).lines()
	if strip := stripOf(lines, "gpu-n02"); strings.Count(strip, "L") < 9 || strings.ContainsAny(strip, "ET") {
		t.Errorf("the strip with the slow GPU is %q", strip)
	}
	if strip := stripOf(lines, "gpu-n01"); strings.Count(strip, "E") != 1 || !strings.HasSuffix(strip, "E") {
		t.Errorf("the strip with an old error is %q", strip)
	}
}

// Terminals of every width show the same time, in columns of whole reports. Neither depends on the values.
func TestTimesHaveOneSpan(t *testing.T) {
	snap := uitest.TroubledFixture()
	quick := uitest.TroubledFixture()
	quick.Poll = 1e9
	for _, s := range []*cluster.Snapshot{snap, quick} {
		for _, w := range []int{60, 80, 100, 120, 160, 200, 300} {
			head := newDesk(t, shot{snap: func() *cluster.Snapshot { return s },
				view: func(v *view) { v.on = keys.OnOverview }, typed: "vv"}, w, 30).lines()[3]
			if !strings.Contains(head, "-10m") || !strings.Contains(head, "now   NOW") {
				t.Errorf("%d wide, every %v: %q", w, s.Poll, head)
			}
		}
	}
}

// v shows nodes over time, after the heat map, and leads back; the cursor, the order, the filter and Enter are those of
// the overview.
func TestTimesKeys(t *testing.T) {
	for _, test := range []struct{ keys, want string }{
		{"o v v down", "48211/gpu-n02 1"}, {"o v v down down enter", "48211/gpu-n03 0"},
		{"o v v end", "48211/gpu-n04 1"},
		{"o v v s", "48211/gpu-n04 1"},
		{"o v v down v up", "48211/gpu-n01 1"}, {"o v v right", "48211/gpu-n01 1"}, {"o v v n", "48211/gpu-n02 1"},
		{"o v v esc", "48211/gpu-n01 1"},
	} {
		r := newRig(t, uitest.TroubledFixture())
		r.press(strings.Fields(test.keys)...)
		if got := r.where(); got != test.want {
			t.Errorf("%q leads to %s, want %s", test.keys, got, test.want)
		}
	}
	r := newRig(t, uitest.TroubledFixture())
	for _, test := range []struct {
		key  string
		want bool
	}{{"o", false}, {"v", false}, {"v", true}, {"o", false}, {"o", true}, {"v", false}, {"v", false}, {"v", true},
		{"v", false}} {
		if r.press(test.key); strings.Contains(r.text(), "one column =") != test.want {
			t.Errorf("after %s the strip is shown: %v", test.key, !test.want)
		}
	}
	if r.press("v", "v", "/", "n", "0", "2", "enter"); !strings.Contains(r.text(), `1 of 4 nodes matches "n02"`) ||
		strings.Contains(r.text(), "-5m\n gpu-n01") {
		t.Errorf("the filter shows\n%s", r.text())
	}
}

// u changes what the cells and AVG show, in the table, the heat map and over time, and says which it is. The letters
// stay.
func TestCellsOfOtherMetrics(t *testing.T) {
	want := []struct{ title, cell, avg string }{
		{"utilization %", " 24E", "88%"}, {"power, % of limit", " 37E", "86%"},
		{"SM clock, % of maximum", "100E", "99%"},
		{"memory, % in use", "E", "88%"}, {"temperature °C", " 49E", "64°C"}, {"utilization %", " 24E", "88%"},
	}
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	for _, w := range want {
		lines := d.lines()
		row := lines[rowOf(lines, "gpu-n02  ")]
		if !strings.Contains(lines[2], w.title) || !strings.Contains(row, w.cell) || !strings.Contains(row, w.avg) {
			t.Errorf("%q: %q", lines[2], row)
		}
		d.press("u")
	}
	big := newDesk(t, shot{snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnOverview }, typed: "uuuu"}, 200, 50)
	if lines := big.lines(); !strings.Contains(lines[2], "temperature °C") ||
		!strings.Contains(strings.Join(lines, "\n"), "66°C") {
		t.Errorf("the heat map shows\n%s", strings.Join(lines, "\n"))
	}
	unknown := uitest.Fixture()
	uitest.Unset(unknown.Nodes["gpu-n01"].GPUs[0].GPU, "limit")
	d = newDesk(t, shot{snap: func() *cluster.Snapshot { return unknown },
		view: func(v *view) { v.on = keys.OnOverview }, typed: "u"}, 79, 24)
	if row := []rune(d.lines()[4]); !slices.Contains(row, '·') {
		t.Errorf("a GPU without a limit has a height: %q", string(row))
	}
}
