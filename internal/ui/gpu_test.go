package ui

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// showGPU opens the page of the GPU with that number on the node at that place of the job.
func showGPU(node string, at int, snap func() *cluster.Snapshot, number int) func(v *view) {
	key := ""
	for _, g := range snap().Nodes[node].AsSeen().GPUs {
		if g.Number == number && g.Card.Instance == nil {
			key = g.Key
		}
	}
	return func(v *view) {
		v.chooseNode(node, at)
		v.on, v.trail = keys.OnGPU, []keys.Page{keys.OnNode}
		v.gpu().Arrive(nil, nav.Go{Node: node, GPU: key})
	}
}

// If there is no room for all tabs, the GPUs with a tab are named, and a number says how many more there are.
func TestTabsOfFewGPUs(t *testing.T) {
	for w, want := range map[int]string{60: "‹2 ─ GPU2 ─ GPU3 ▲ ─ 4›", 80: "─ 2 ─ GPU3 ▲ ─ 4 ─"} {
		if row := linesOf(shot{snap: uitest.Fixture, view: showGPU("gpu-n02", 1, uitest.Fixture, 3)}, w,
			24)[2]; !strings.Contains(row, want) {
			t.Errorf("%d wide, there is no %q in %q", w, want, row)
		}
	}
}

// Of the GPUs of a node with warnings the page begins with the slow one.
func TestGPUPageBeginsWithTheSlowGPU(t *testing.T) {
	s := uitest.Fixture()
	n := s.Nodes["gpu-n01"]
	s.Jobs[0].Findings = append(s.Jobs[0].Findings, cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning,
		Since: uitest.Ago(90e9), Node: n.Name, GPU: 7})
	r := newRig(t, uitest.Keyed(s))
	if r.press("enter"); r.shows() != 7 {
		t.Errorf("the page begins with GPU %d, not with the slow one", r.shows())
	}
}

var busOf = regexp.MustCompile(`bus 0000:([0-9A-F]{2}):`)

// shows is the number of the GPU that the page is about, -1: none.
func (r *rig) shows() int {
	found := busOf.FindStringSubmatch(r.text())
	if found == nil {
		return -1
	}
	bus, err := strconv.ParseInt(found[1], 16, 64)
	if err != nil {
		r.t.Fatal(err)
	}
	return int(bus-0x1b) / 0x20
}

// The page begins with the GPU that needs a look, or with that of the row or of the problem; the arrows go through the
// GPUs of the node, round the ends, and to the GPU with the same number on other nodes.
func TestGPUPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keys string
		want int
	}{
		{"enter", 5}, {"enter", 5}, {"right enter", 3}, {"enter right", 6}, {"enter right right right", 0},
		{"enter left", 4},
		{"enter left left left left left left", 7},
		{"enter down", 5}, {"enter down left up", 4}, {"enter down down", -1}, {"enter down down up", 5},
		{"enter n", 3}, {"enter n N", 5},
		{"enter .", 5},
		{"! n enter", 3}, {"! n enter right esc enter", 3}, {"enter right ? esc", 6}, {"enter right ! esc", 6},
		{"enter right o enter enter", 5},
		{"] enter", 2}, {"] enter left", 7}, {"] enter a left", 3}, {"] enter right right a", 2},
	} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(test.keys)...)
		if got := r.shows(); got != test.want {
			t.Errorf("after %q GPU%d is shown, want %d:\n%s", test.keys, got, test.want, r.text())
		}
	}
}

// A click on the row of a GPU opens its page, also where the rows are sorted because they do not all fit.
func TestClickOpensAGPU(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	y := slices.IndexFunc(strings.Split(r.text(), "\n"),
		func(line string) bool { return strings.HasPrefix(line, "    2 ") })
	r.send(tea.MouseClickMsg{X: 30, Y: y, Button: tea.MouseLeft})
	if r.where() != "48211/gpu-n01 gpu" || r.shows() != 2 {
		t.Errorf("a click in row %d leads to %s, GPU%d", y, r.where(), r.shows())
	}
	r = newRig(t, uitest.Fixture())
	r.send(tea.WindowSizeMsg{Width: 120, Height: 10})
	y = slices.IndexFunc(strings.Split(r.text(), "\n"),
		func(line string) bool { return strings.HasPrefix(line, " ▲  5 ") })
	r.send(tea.MouseClickMsg{X: 30, Y: y, Button: tea.MouseLeft})
	if r.shows() != 5 {
		t.Errorf("a click on GPU5 in row %d shows GPU%d:\n%s", y, r.shows(), r.text())
	}
	r = newRig(t, uitest.Fixture())
	for _, y := range []int{0, 3, 5, 14, 18} { // the header, the headings, the sum, the title of the processes
		if r.send(tea.MouseClickMsg{X: 30, Y: y, Button: tea.MouseLeft}); r.where() != "48211/gpu-n01 0" {
			t.Fatalf("a click in row %d leads to %s", y, r.where())
		}
	}
}

// A GPU is remembered by its key. When it is gone the page says so, and the arrows lead to those next to it.
func TestAGPUThatIsGone(t *testing.T) {
	without := func(numbers ...int) *cluster.Snapshot {
		s := uitest.Fixture()
		n := s.Nodes["gpu-n01"]
		n.GPUs = slices.DeleteFunc(n.GPUs, func(g cluster.GPU) bool { return slices.Contains(numbers, g.Number) })
		return s
	}
	for _, test := range []struct {
		keys string
		want int
	}{{"right", 6}, {"left", 4}, {"down up", 4}} {
		r := newRig(t, uitest.Fixture())
		r.press("enter")
		r.snap = without(1)
		if r.send(tick{r.chain}); r.shows() != 5 {
			t.Fatalf("without GPU1 the page shows GPU%d", r.shows())
		}
		r.snap = without(1, 5)
		r.send(tick{r.chain})
		if text := r.text(); r.shows() != -1 || !strings.Contains(text, "GPU5 (GPU-") ||
			!strings.Contains(text, "is no longer listed") {
			t.Fatalf("GPU5 is gone, and the page is\n%s", text)
		}
		if r.press(strings.Fields(test.keys)...); test.keys != "down up" && r.shows() != test.want {
			t.Errorf("from the place of GPU5 %q leads to GPU%d, want %d", test.keys, r.shows(), test.want)
		}
		r.snap = uitest.Fixture()
		if r.send(tick{r.chain}); test.keys == "down up" && r.shows() < 0 {
			t.Errorf("when GPU5 is back the page is\n%s", r.text())
		}
	}
}

// A lost GPU has a sentence and its past, no numbers; one whose node does not respond says how old its numbers are.
func TestGPUWithoutNumbers(t *testing.T) {
	lost := strings.Join(linesOf(shot{snap: uitest.StatesFixture, view: showGPU("gpu-n01", 0, uitest.StatesFixture, 2)}, 120, 40),
		"\n")
	for _, want := range []string{"✗ GPU is lost, since 18:41:55", "[stale 12s]", "→ GPU unavailable until"} {
		if !strings.Contains(lost, want) {
			t.Errorf("there is no %q in\n%s", want, lost)
		}
	}
	if number := regexp.MustCompile(`\d+ (W|MHz|GiB|GB/s)\b|\d%`).FindString(lost); number != "" {
		t.Errorf("the lost GPU has a number, %s:\n%s", number, lost)
	}
	stale := linesOf(shot{snap: uitest.StatesFixture, view: showGPU("gpu-n01", 0, uitest.StatesFixture, 6)}, 120, 40)
	if text := strings.Join(stale, "\n"); !strings.Contains(stale[3], "[stale 12s]") ||
		!strings.Contains(text, "990 MHz") || !strings.Contains(text, "No report for 12s") {
		t.Errorf("the stale GPU is\n%s", text)
	}
}

// The missing features of a GPU are shown once, with the reason; other graphs take the room, at every size.
func TestGPUWithoutSomeMetrics(t *testing.T) {
	old := shot{snap: uitest.OldFixture, view: showGPU("gpu-n02", 1, uitest.OldFixture, 3)}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		text := strings.Join(linesOf(old, size[0], size[1]), "\n")
		if strings.Count(text, "n/a: NVLink, SM active") != 1 || strings.Contains(text, "NVLink GB/s") ||
			!strings.Contains(text, "n/a (Not Supported)") {
			t.Errorf("%v:\n%s", size, text)
		}
		if size[0] >= 120 && !strings.Contains(text, "18:38:07  94  contained memory error") {
			t.Errorf("%v: the last Xid is not there:\n%s", size, text)
		}
		if pcie := strings.Contains(text, "PCIe GB/s, both ways"); pcie != (size[0] >= 120) {
			t.Errorf("%v: PCIe is drawn: %v", size, pcie)
		}
	}
	text := strings.Join(linesOf(shot{snap: uitest.MigFixture, view: showGPU("gpu-n01", 0, uitest.MigFixture, 0)}, 120, 40), "\n")
	if strings.Contains(text, "Utilization %") || !strings.Contains(text, "n/a: utilization, memory read/write time") ||
		!strings.Contains(text, "MIG on, 2 instances") || !strings.Contains(text, "─ GPU0:1 ─") &&
		!strings.Contains(text, "─ 0:1 ─") {
		t.Errorf("in MIG mode the page is\n%s", text)
	}
}

// The page has the same parts in the same rows whatever the values are.
func TestGPUPageDoesNotJump(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 90}} {
		var rules [2][]int
		for i, number := range []int{5, 0} { // one that is throttled, one that is well
			for y, line := range linesOf(shot{snap: uitest.Fixture, view: showGPU("gpu-n01", 0, uitest.Fixture, number)}, size[0],
				size[1]) {
				if strings.HasPrefix(line, "──") || strings.Contains(line, "┊") {
					rules[i] = append(rules[i], y)
				}
			}
		}
		if !slices.Equal(rules[0], rules[1]) {
			t.Errorf("%v: rules and graphs are in rows %v and %v", size, rules[0], rules[1])
		}
	}
}

// The timeline has the reasons that there were, with how long they held in the time that it shows, and those that are
// usual.
func TestThrottleTimeline(t *testing.T) {
	hot := linesOf(shot{snap: uitest.Fixture, view: showGPU("gpu-n01", 0, uitest.Fixture, 5)}, 120, 44)
	for _, want := range []string{`heat \(hardware\) .*█{3,}.*█{3,} +1m15s$`, `heat \(software\) +╌+ +–$`,
		`power cap .*█+.*█+.*36s$`} {
		if !slices.ContainsFunc(hot, regexp.MustCompile(want).MatchString) {
			t.Errorf("no line matches %s:\n%s", want, strings.Join(hot, "\n"))
		}
	}
	sync := func() *cluster.Snapshot {
		s := uitest.Fixture()
		g := &s.Nodes["gpu-n01"].GPUs[0]
		uitest.Set(g.GPU, uitest.Values{"throttle": wire.ThrottleSyncBoost | wire.ThrottleHWSlowdown})
		uitest.Remember(g, uitest.UtilOf(g))
		return s
	}
	low := strings.Join(linesOf(shot{snap: sync, view: showGPU("gpu-n01", 0, sync, 0)}, 80, 24), "\n")
	if !strings.Contains(low, "sync boost") && !strings.Contains(low, "HW slowdown") {
		t.Errorf("where there is room for two reasons, those that held come first:\n%s", low)
	}
}

// watchedFixture is a node that has reported for 20 minutes, with the counters of its GPU.
func watchedFixture() *cluster.Snapshot {
	store := store.New(3*time.Second, func(cluster.Subject) []cluster.Condition { return nil })
	begin := uitest.Ago(20 * time.Minute)
	apply := func(e cluster.Event) {
		e.Node = "gpu-n01"
		store.Apply(e)
	}
	store.Apply(cluster.Event{At: begin,
		Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "48211", Nodes: []string{"gpu-n01"}}}}})
	apply(cluster.Event{At: begin, Try: &cluster.Try{Interval: 3 * time.Second}})
	apply(cluster.Event{At: begin, Hello: &wire.Hello{GPUs: []wire.Card{{
		UUID: "GPU-1", Minor: new(0), Name: "NVIDIA H100",
		Absent: map[string][]string{"Insufficient Permissions": {wire.AbsentXids}},
	}}}})
	for sec := 0; sec <= 1200; sec += 3 {
		values := metric.Make(map[metric.ID]float64{
			metric.Util: 90, metric.Throttle: 0, metric.HWThermalTime: 4000 + float64(sec)/10, metric.PCIeReplays: 7 +
				float64(sec/600), metric.NVLinkCRC: 3,
		})
		apply(cluster.Event{At: begin.Add(time.Duration(sec) * time.Second),
			Report: &wire.Report{MonoMS: int64(sec+1) * 1000, GPUs: []wire.GPU{{Values: values}}}})
	}
	return store.Snapshot(uitest.Now)
}

// If the driver counts the time of a reason, the total covers all the time that nvnodetop watches, and errors since
// then are new.
func TestGPUCounters(t *testing.T) {
	text := strings.Join(linesOf(shot{snap: watchedFixture, view: func(v *view) { v.on = keys.OnGPU }}, 120, 40),
		"\n")
	for _, want := range []string{"heat (hardware)", "2m00s\n", "totals since 20m", "replays 9 (2 new)",
		"CRC errors 3\n",
		"n/a (Insufficient Permissions)"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
