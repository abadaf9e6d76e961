package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	words "github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var lowSizes = [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}}

// reaches pages through what a desk shows, down and back up, and wants each of the words on the way.
func (d *desk) reaches(name string, words []string) {
	d.t.Helper()
	for _, keys := range [][2]string{{"home", "pgdown"}, {"end", "pgup"}} {
		missing := slices.Clone(words)
		d.press(keys[0])
		for range 30 {
			text := strings.Join(d.lines(), "\n")
			missing = slices.DeleteFunc(missing, func(w string) bool { return strings.Contains(text, w) })
			d.press(keys[1])
		}
		if len(missing) > 0 {
			d.t.Errorf("%s at %d×%d: %s does not reach %q; the last page:\n%s", name, d.sc.W, d.sc.H, keys[1], missing,
				strings.Join(d.lines(), "\n"))
		}
	}
}

// The page keys reach every row of every list.
func TestPagingReachesEveryRow(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	large := uitest.BigFixture()
	big := func() *cluster.Snapshot { return large }
	for _, size := range lowSizes {
		var gpus, pids []string
		n := uitest.Fixture().Nodes["gpu-n02"]
		for i := range n.GPUs {
			gpus = append(gpus, draw.GiB(uint64(uitest.Value(n.GPUs[i].GPU, "used"))<<20)+"/79.6")
		}
		for _, p := range n.Processes {
			pids = append(pids, fmt.Sprint(p.PID))
		}
		node := newDesk(t, shot{snap: uitest.Fixture,
			view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }}, size[0], size[1])
		node.reaches("node", append(pids, gpus...))

		for name, grid := range map[string]overview.Grid{"rows": overview.GridRows, "map": overview.GridMap} {
			var nodes []string
			for i := range 64 {
				nodes = append(nodes, fmt.Sprintf("%03d", i+1))
			}
			d := newDesk(t, shot{snap: big, view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = grid }},
				size[0], size[1])
			if size[0] > 60 || grid == overview.GridRows { // the smallest map has no room for their names
				d.reaches(name, nodes)
			}
		}

		var names []string
		for i := range 64 {
			names = append(names, fmt.Sprintf("gpu-n%03d", i+1))
		}
		newDesk(t, shot{snap: big, view: func(v *view) { v.on = keys.OnOverview; v.overview().Times = true }}, size[0],
			size[1]).reaches("times", names)

		var wheres []string
		for _, f := range large.Jobs[0].Findings {
			if f.Severity != cluster.Waiting { // a node that connects is no problem
				wheres = append(wheres, f.Node)
			}
		}
		newDesk(t, shot{snap: big, view: func(v *view) { v.on = keys.OnProblems }}, size[0],
			size[1]).reaches("problems", wheres)

		queue, ids := uitest.NoJobsFixture(), []string(nil)
		for i := range 60 {
			id := fmt.Sprint(49000 + i)
			ids = append(ids, id)
			queue.Discovery.Pending = append(queue.Discovery.Pending, cluster.PendingJob{ID: id, Nodes: 1})
		}
		newDesk(t, shot{snap: func() *cluster.Snapshot { return queue }, view: func(*view) {}}, size[0],
			size[1]).reaches("no jobs", ids)

		for _, p := range []keys.Page{keys.OnNode, keys.OnOverview} {
			d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) {
				v.palette.Open(v.paletteSource(p, string(p), false))
			}}, size[0], size[1])
			words := []string{"--ascii", "!THERMAL", "C G X M"}
			for _, a := range plain.actionsOf(p) {
				words = append(words, a.Text)
			}
			d.reaches("help", words)
		}
	}
}

// However many rows there are, the worst problems have theirs.
func TestRowsLeaveRoomForProblems(t *testing.T) {
	large := uitest.BigFixture()
	for _, size := range lowSizes {
		d := newDesk(t, shot{snap: func() *cluster.Snapshot { return large },
			view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridRows }}, size[0], size[1])
		lines := d.lines()
		below := strings.Join(lines[rowOf(lines, " JOB "):], "\n")
		for _, want := range []string{"gpu-n044 GPU2 lost", "gpu-n039 login refused"} {
			if !strings.Contains(below, want) {
				t.Errorf("%v: there is no %q:\n%s", size, want, strings.Join(lines, "\n"))
			}
		}
	}
}

// The processes leave a line to the worst problem of the node.
func TestAProblemKeepsItsLine(t *testing.T) {
	snap := uitest.Fixture()
	s := shot{snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.chooseNode("gpu-n02", 1); v.node().Processes = node.ShowOn }}
	finding := snap.Jobs[0].Findings[2]
	words := words.Finding(snap, &finding)
	if finding.Node != "gpu-n02" {
		t.Fatalf("the fixture has another finding: %+v", finding)
	}
	for h := 15; h <= 60; h++ {
		for _, w := range []int{60, 80, 100, 120, 200} {
			lines := linesOf(s, w, h)
			if !slices.ContainsFunc(lines[7:], func(line string) bool {
				return strings.Contains(line, "gpu-n02 GPU3") &&
					(strings.Contains(line, words.Short) || strings.Contains(line, words.Long) ||
						strings.Contains(line, words.Sentence[:20]))
			}) {
				t.Errorf("%d×%d has no %q:\n%s", w, h, words.Short, strings.Join(lines, "\n"))
			}
		}
	}
}

// Processes are there by default where they fit, and the list of a node may come late: the rest does not move then.
func TestProcessesByDefault(t *testing.T) {
	for _, test := range []struct {
		w, h int
		snap func() *cluster.Snapshot
		want bool
	}{
		{120, 40, uitest.Fixture, true}, {200, 50, uitest.Fixture, true},
		{120, 35, uitest.Fixture, true}, {80, 40, uitest.Fixture, true},
		{100, 30, uitest.Fixture, false}, {80, 24, uitest.Fixture, false},
		{120, 34, uitest.Fixture, false}, {120, 40, uitest.WideFixture, false},
		{200, 50, uitest.WideFixture, true},
	} {
		d := newDesk(t, shot{snap: test.snap, view: func(*view) {}}, test.w, test.h)
		shown := func() bool { return strings.Contains(strings.Join(d.lines(), "\n"), "COMMAND") }
		if wants := d.v.chosenPage().Wants(d.sc).Processes; shown() != test.want || wants != test.want {
			t.Errorf("%d×%d: the processes are shown: %v, wanted: %v", test.w, test.h, shown(), wants)
		}
		if d.press("p"); shown() == test.want {
			t.Errorf("%d×%d: p changes nothing", test.w, test.h)
		}
	}
	late := uitest.Fixture()
	late.Nodes["gpu-n01"].Listed, late.Nodes["gpu-n01"].Processes = false, nil
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return late }, view: func(*view) {}}, 120, 40)
	before := rowOf(d.lines(), "Problems on this node")
	d.sc.Snap = uitest.Fixture()
	d.v.resolveSelection(d.sc)
	listed := d.sc.Node.Processes
	for i := range listed { // one per GPU
		if listed[i].Command == "python -m ray.worker" {
			d.sc.Node.Processes = slices.Delete(listed, i, i+1)
			break
		}
	}
	if after := rowOf(d.lines(), "Problems on this node"); after != before || before < 0 {
		t.Errorf("the list has come, and the problems went from row %d to %d:\n%s", before, after,
			strings.Join(d.lines(), "\n"))
	}
}

func rowOf(lines []string, text string) int {
	return slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
}

// The problems page has a cursor, which carries the selected node along, and opens it.
func TestProblems(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"!": "48211/gpu-n01 3", "right right right !": "48211/gpu-n04 3", "right right right ! down": "48211/gpu-n01 3",
		"! up":    "48211/gpu-n04 3",
		"! up up": "48211/gpu-n04 3", "! n": "48211/gpu-n02 3", "! N N": "48211/gpu-n02 3", "! end": "48211/gpu-n02 3",
		"! right":   "48211/gpu-n01 3",
		"! n enter": "48211/gpu-n02 gpu", "! n enter esc": "48211/gpu-n02 3", "! n enter ! ! esc": "48211/gpu-n02 1",
		"! n esc": "48211/gpu-n02 0", "! !": "48211/gpu-n01 0", "o ! esc": "48211/gpu-n01 1",
		"! d esc":     "48211/gpu-n01 3",
		"! d esc esc": "48211/gpu-n01 0", "d ! d": "48211/gpu-n01 2", "d ! d esc": "48211/gpu-n01 0",
		"! ]": "48377/gpu-s11 3", "! ] enter": "48377/gpu-s11 3",
	} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		if got := r.where(); got != want {
			t.Errorf("after %q: %s, want %s", keys, got, want)
		}
	}
	twice := uitest.Fixture()
	fault := cluster.Finding{Kind: cluster.KindFault, Severity: cluster.Warning, Node: "gpu-n03", GPU: -1}
	twice.Jobs[0].Findings = append([]cluster.Finding{fault, fault}, twice.Jobs[0].Findings...)
	r := newRig(t, twice)
	if r.press("!", "home", "down", "down"); r.where() != "48211/gpu-n04 3" {
		t.Errorf("the cursor does not pass two problems of one kind: %s", r.where())
	}
	r = newRig(t, uitest.Fixture())
	r.press("!", "n")
	next := uitest.Fixture()
	next.Jobs[0].Findings = slices.Delete(next.Jobs[0].Findings, 0, 1)
	r.snap = next
	r.send(tick{r.chain})
	if r.press("n"); r.where() != "48211/gpu-n02 3" { // the note, not the first problem
		t.Errorf("the cursor is by place, not by problem: %s", r.where())
	}
}
