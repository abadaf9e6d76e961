package ui

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// quiet is a fixture without findings, so that there is room for graphs.
func quiet() *cluster.Snapshot {
	s := uitest.Fixture()
	s.Jobs[0].Findings = nil
	return s
}

var axisLabel = regexp.MustCompile(`-(\d+[smh]) +now`)

// All graphs show the same time at every width, and the title names it.
func TestGraphsShowOneTime(t *testing.T) {
	t.Parallel()
	for _, s := range []shot{
		{name: "node", snap: quiet, view: func(*view) {}},
		{name: "overview", snap: quiet, view: func(v *view) { v.on = keys.OnOverview }},
	} {
		snap := s.snap()
		s.snap = func() *cluster.Snapshot { return snap }
		for w := 80; w <= 300; w += 5 {
			text := strings.Join(linesOf(s, w, 50), "\n")
			labels := axisLabel.FindAllStringSubmatch(text, -1)
			if len(labels) == 0 || !strings.Contains(text, "history, last 10 min") {
				t.Fatalf("%s, %d wide: no graphs:\n%s", s.name, w, text)
			}
			for _, label := range labels {
				if label[1] != "10m" {
					t.Errorf("%s, %d wide: an axis begins at -%s", s.name, w, label[1])
				}
			}
		}
	}
}

// At the start the axis is as long as what there is to show, in steps, and the same for every graph.
func TestTheAxisOfAYoungHistory(t *testing.T) {
	for bins, want := range map[int]string{1: "2m", 40: "2m", 41: "5m", 100: "5m", 101: "10m", 230: "10m"} {
		s := shot{name: "young", snap: func() *cluster.Snapshot {
			snap := quiet()
			for _, name := range []string{"gpu-n01", "gpu-n02"} {
				n := snap.Nodes[name]
				for i := range n.GPUs {
					var h history.History
					for b := range bins {
						h.Add(uitest.NewestBin-int64(bins-1-b), uitest.HistoryLen, func(metric.ID) float64 { return 50 })
					}
					n.GPUs[i].History = h
				}
			}
			return snap
		}, view: func(v *view) { v.on = keys.OnOverview }}
		labels := axisLabel.FindAllStringSubmatch(strings.Join(linesOf(s, 120, 50), "\n"), -1)
		if len(labels) == 0 || slices.ContainsFunc(labels, func(l []string) bool { return l[1] != want }) {
			t.Errorf("after %d bins the axes are %v, want -%s", bins, labels, want)
		}
	}
}

// The past of a node that stops to respond stays in the lowest line.
func TestAStaleNodeKeepsItsPast(t *testing.T) {
	lowest := func(state cluster.NodeState) string {
		s := shot{name: "stale", snap: func() *cluster.Snapshot {
			snap := quiet()
			snap.Nodes["gpu-n02"].State = state // its GPU 3 has lagged for minutes
			return snap
		}, view: func(v *view) { v.on = keys.OnOverview }}
		var rows []string
		for _, line := range linesOf(s, 200, 50) {
			if strings.Count(line, "┊") == 2 {
				_, line, _ = strings.Cut(line, "┊")
				_, line, _ = strings.Cut(line, "┊")
				rows = append(rows, line)
			}
		}
		return strings.Join(rows[:len(rows)/2], "\n")
	}
	if fresh, stale := lowest(cluster.NodeReporting), lowest(cluster.NodeStale); fresh != stale {
		t.Errorf("the line was\n%s\nand is\n%s", fresh, stale)
	}
}

// A short dip is not half of the picture: a mean keeps its level.
func TestADipKeepsTheLevel(t *testing.T) {
	s := shot{name: "dip", snap: func() *cluster.Snapshot {
		snap := quiet()
		n := snap.Nodes["gpu-n01"]
		snap.Jobs[0].Minors = map[string][]int{"gpu-n01": {0}}
		for i := range n.GPUs {
			util := make([]float32, uitest.HistoryLen)
			for b := range util {
				util[b] = 97
				if b%25 == 0 { // 3 s of 75 s
					util[b] = 3
				}
			}
			uitest.SetUtil(&n.GPUs[i], util)
		}
		return snap
	}, view: func(*view) {}}
	lines := linesOf(s, 80, 40)
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "100┊") })
	if at < 0 {
		t.Fatal(strings.Join(lines, "\n"))
	}
	_, row, _ := strings.Cut(lines[at+1], "┊")
	row, _, _ = strings.Cut(row, "┊")
	full := 0
	for _, r := range row {
		if r > '⠀' {
			full++
		}
	}
	if full < 25 {
		t.Errorf("the second row of the graph is %q", row)
	}
}

// A tall and wide terminal is used: no graph leaves a third of it empty.
func TestGraphsFillTheScreen(t *testing.T) {
	for _, s := range []shot{
		{name: "node", snap: quiet, view: func(*view) {}},
		{name: "overview", snap: quiet, view: func(v *view) { v.on = keys.OnOverview }},
	} {
		lines := linesOf(s, 300, 80)
		if empty := lines[len(lines)-6]; strings.TrimSpace(empty) == "" {
			t.Errorf("%s: the rows above the keys are empty:\n%s", s.name, strings.Join(lines, "\n"))
		}
	}
}

// The utilization of several GPUs is a band from the lowest to the median, whose lower edge is amber since a rule holds
// that one lags; heat is amber only where it lowered the clocks, and a dotted line says from where on it does.
func TestGraphsAnswer(t *testing.T) {
	snap := quiet()
	lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Since: uitest.Ago(5 * time.Minute),
		Node: "gpu-n02", GPU: 3}
	snap.Jobs[0].Findings = []cluster.Finding{lag}
	uitest.Keyed(snap)
	s := shot{name: "band", snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.on = keys.OnOverview }}
	// amber counts, in each half of the time, the columns of the graph that begins at column x which have an amber
	// glyph.
	amber := func(x, w int) (early, late int) {
		_, body, _ := strings.Cut(string(darkTheme.Encode(nil, s.take(200, 50))), "Job history")
		amber := make([]bool, 200)
		for _, line := range strings.Split(body, "\n")[2:] {
			for col, warn := range warned(line) {
				amber[col] = amber[col] || warn
			}
		}
		for col := range w {
			switch {
			case !amber[x+col]:
			case col < w/2-2:
				early++
			case col > w/2+2:
				late++
			}
		}
		return early, late
	}
	if early, late := amber(8, 27); early > 0 || late < 10 {
		t.Errorf("of the band, %d columns are amber before the GPU lagged, %d after", early, late)
	}
	if early, late := amber(43, 27); early > 0 || late == 0 {
		t.Errorf("of the temperature, %d columns are amber before, %d after", early, late)
	}
	if text := strings.Join(linesOf(s, 200, 50), "\n"); !strings.Contains(text, "slows at 87") ||
		strings.Count(text, "╌╌╌╌╌╌╌╌╌╌") < 2 {
		t.Errorf("the threshold is not drawn:\n%s", text)
	}
	snap.Jobs[0].Findings = nil
	if early, late := amber(8, 27); early+late > 0 {
		t.Errorf("no rule holds, and %d columns of the band are amber", early+late)
	}
}

// warned are the columns of an encoded line that have an amber glyph.
func warned(line string) map[int]bool {
	amber, at, warn := map[int]bool{}, 0, false
	for line != "" {
		if sgr, rest, ok := strings.Cut(line, "m"); ok && strings.HasPrefix(line, "\x1b[") {
			warn, line = strings.Contains(sgr, "38;2;242;182;50"), rest
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		if warn && r != ' ' {
			amber[at] = true
		}
		at, line = at+1, line[n:]
	}
	return amber
}

// A narrow graph of the utilization names the slow GPU rather than what the band is. One number is no range.
func TestTitleOfTheBand(t *testing.T) {
	text := strings.Join(linesOf(shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }}, 120, 40), "\n")
	if !strings.Contains(text, "Utilization %  (gpu-n02 GPU3)  24–97%") {
		t.Errorf("the graph is not about gpu-n02 GPU3:\n%s", text)
	}
	text = strings.Join(linesOf(shot{snap: uitest.Fixture, view: func(v *view) { v.job = "48377" }}, 120, 40), "\n")
	if !strings.Contains(text, " 64%  Hottest") {
		t.Errorf("equal ends are a range:\n%s", text)
	}
}
