package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// m shows the ranks of all nodes of the job in one list. One that is gone, and those of nodes that do not report, have
// their rows in place.
func TestRanks(t *testing.T) {
	r := newRig(t, uitest.RanksFixture())
	r.press("m")
	lines := strings.Split(r.text(), "\n")
	if !strings.Contains(lines[2], "Ranks of job 48211") ||
		!strings.Contains(lines[2], "WORLD_SIZE 32  15 of 32 ranks  ✗ 1 gone") {
		t.Errorf("the rule is %q", lines[2])
	}
	for rank, want := range map[int]string{
		0: "gpu-n01 0 318802 97 99.3", 11: "gpu-n02 3 358811 23 12.4",
		13: "gpu-n02 5 rank 13 of 32 is gone, last seen 40s ago",
		16: "gpu-n03 0 361402", 31: "rank 31 of 32 has not been seen: not all nodes list their processes",
	} {
		row := strings.Join(strings.Fields(strings.Trim(lines[4+rank], " ▸▲✗")), " ")
		if !strings.HasPrefix(row, fmt.Sprint(rank, " ")) || !strings.Contains(row, want) {
			t.Errorf("row %d is %q", rank, row)
		}
	}
	one := uitest.RanksFixture()
	one.Jobs[0].Nodes = one.Jobs[0].Nodes[1:] // n01 is not the job's, n04 refuses
	one.Nodes["gpu-n03"].State = cluster.NodeReporting
	r = newRig(t, one)
	if r.press("m", "end"); !strings.Contains(r.text(), "rank 24 of 32: login refused") {
		t.Errorf("of a single node that does not report it says\n%s", r.text())
	}
}

// threeInTrouble is the fixture of the ranks, where rank 5 is too hot, the GPU of rank 11 is lost, and rank 13 is gone.
func threeInTrouble() *cluster.Snapshot {
	s := uitest.RanksFixture()
	n := s.Nodes["gpu-n02"]
	uitest.Forget(&n.GPUs[3], "GPU is lost")
	n.Processes = slices.DeleteFunc(n.Processes, func(p wire.Process) bool { return p.GPU == n.GPUs[3].Index })
	n.Ranks[3].Seen = uitest.Ago(time.Minute)
	s.Jobs[0].Findings = append(s.Jobs[0].Findings, cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical,
		Since: uitest.Ago(time.Minute), Node: n.Name, GPU: 3})
	return uitest.Keyed(s)
}

// The rank on a GPU that is lost is in trouble, and says so. Those of a node that does not respond are not looked
// through.
func TestRankOnALostGPU(t *testing.T) {
	r := newRig(t, threeInTrouble())
	r.press("m", "home", "n", "n")
	if line := r.cursorLine(); !strings.Contains(line,
		"✗    11  gpu-n02        3  rank 11 of 32: its GPU is lost, last seen 1m ago") {
		t.Errorf("the second problem is %q", line)
	}
}

// n and N lead through the ranks in trouble, downwards and upwards, and round both ends.
func TestProblemKeysAmongRanks(t *testing.T) {
	const hot, lost, gone = "     5  gpu-n01", "rank 11 of 32: its GPU is lost", "rank 13 of 32 is gone"
	r := newRig(t, threeInTrouble())
	r.press("m", "home")
	for i, step := range []struct{ key, want string }{
		{"n", hot}, {"n", lost}, {"n", gone}, {"n", hot}, {"N", gone}, {"N", lost}, {"N", hot}, {"N", gone}, {"n", hot},
	} {
		if r.press(step.key); !strings.Contains(r.cursorLine(), step.want) {
			t.Errorf("%s, the key number %d, leads to %q, not to %q", step.key, i, r.cursorLine(), step.want)
		}
	}
}

// s sorts, the worst first, with a mark behind the heading; ranks that are gone come first, processes without a rank
// behind the others.
func TestRanksAreSorted(t *testing.T) {
	r := newRig(t, uitest.RanksFixture())
	r.press("m")
	for _, want := range []struct{ heading, first, second string }{
		{"%PEAK↓", "rank 13", "318802"}, {"%SM↑", "rank 13", "358811"}, {"%CPU↑", "rank 13", "358811"},
		{"RANK↑", "318802", "318805"},
	} {
		r.press("s")
		lines := strings.Split(r.text(), "\n")
		if !strings.Contains(lines[3], want.heading) || !strings.Contains(lines[4], want.first) ||
			!strings.Contains(lines[5], want.second) || !strings.HasPrefix(lines[4], "▸") {
			t.Errorf("sorted by %s:\n%s", want.heading, strings.Join(lines[3:6], "\n"))
		}
	}
}

// The cursor carries the selected node along and stays on its rank when the rows change. Enter opens the GPU, or the
// node of a rank whose GPU is not known; m and Esc lead back.
func TestRanksKeys(t *testing.T) {
	for keys, want := range map[string]string{
		"m": "48211/gpu-n01 ranks", "right m": "48211/gpu-n02 ranks", "m down": "48211/gpu-n01 ranks",
		"m end": "48211/gpu-n03 ranks", "m home enter": "48211/gpu-n01 gpu", "m home enter esc": "48211/gpu-n01 ranks",
		"m n": "48211/gpu-n02 ranks", "m n enter": "48211/gpu-n02 gpu", "m N": "48211/gpu-n02 ranks",
		"m esc": "48211/gpu-n01 0", "m m": "48211/gpu-n01 0",
		"o m esc": "48211/gpu-n02 1", "m ! esc": "48211/gpu-n01 ranks", "m right": "48211/gpu-n01 ranks",
		"m s enter": "48211/gpu-n02 gpu", "m ]": "48377/gpu-s11 ranks",
		"m pgdown pgdown": "48211/gpu-n03 ranks", "m p": "48211/gpu-n01 0", "m o": "48211/gpu-n01 1",
		"m ?": "48211/gpu-n01 4",
	} {
		r := newRig(t, uitest.RanksFixture())
		r.press(strings.Fields(keys)...)
		if got := r.where(); got != want {
			t.Errorf("after %q: %s, want %s", keys, got, want)
		}
	}
	r := newRig(t, uitest.RanksFixture())
	r.press("m", "s", "s", "down")
	if line := r.cursorLine(); !strings.Contains(line, "358811") {
		t.Fatalf("the cursor is on %q", line)
	}
	r.snap = uitest.RanksFixture()
	r.snap.Nodes["gpu-n02"].Processes[3].SMPercent = new(97)
	if r.send(tick{r.chain}); !strings.Contains(r.cursorLine(), "358811") {
		t.Errorf("the rank is faster now, and the cursor on %q", r.cursorLine())
	}
	r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: 4})
	if r.where() != "48211/gpu-n02 ranks" || !strings.Contains(r.cursorLine(), "rank 13") {
		t.Errorf("a click leads to %s, %q", r.where(), r.cursorLine())
	}
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if line := r.cursorLine(); !strings.Contains(line, "358811") && strings.Contains(line, "rank 13") {
		t.Errorf("the wheel leads to %q", line)
	}
}

// From the overview the cursor starts at the rank that holds the job up, unless the user has chosen a node; from a node
// at the worst of its ranks. Later it is where the user left it.
func TestRanksBeginWithTheWorst(t *testing.T) {
	for keys, want := range map[string]string{
		"o m": "rank 13 of 32 is gone", "o down down m": "    16  gpu-n03", "m": "     5  gpu-n01",
		"right m": "rank 13 of 32", "o m n esc m": "     5  gpu-n01", "m down down esc m": "     7  gpu-n01",
		"o m home down esc m": "     1  gpu-n01", "m esc right m": "rank 13 of 32", "o m ] [ m m": "rank 13 of 32",
	} {
		r := newRig(t, uitest.RanksFixture())
		if r.press(strings.Fields(keys)...); !strings.Contains(r.cursorLine(), want) {
			t.Errorf("after %q the cursor is on %q, not on %q", keys, r.cursorLine(), want)
		}
	}
	lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Since: uitest.Ago(90e9), Node: "gpu-n02", GPU: 6}
	for name, test := range map[string]struct {
		findings   []cluster.Finding
		keys, want string
	}{
		"the slow one": {[]cluster.Finding{{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1},
			lag}, "o m", "    14  gpu-n02"},
		"on its node": {[]cluster.Finding{{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1},
			lag}, "right m", "    14  gpu-n02"},
		"a hot one": {[]cluster.Finding{{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n02",
			GPU: 1}}, "o m", "     0  gpu-n01"},
	} {
		s := uitest.RanksFixture()
		n := s.Nodes["gpu-n02"]
		n.Processes = slices.Insert(n.Processes, 5, s.Nodes["gpu-n01"].Processes[5])
		n.Processes[5].GPU, n.Processes[5].Rank = n.GPUs[5].Index, &n.Ranks[5].Rank
		s.Jobs[0].Findings = test.findings
		r := newRig(t, uitest.Keyed(s))
		if r.press(strings.Fields(test.keys)...); !strings.Contains(r.cursorLine(), test.want) {
			t.Errorf("%s: the cursor is on %q, not on %q", name, r.cursorLine(), test.want)
		}
	}
}

// cursorLine is the row with the cursor.
func (r *rig) cursorLine() string {
	for line := range strings.SplitSeq(r.text(), "\n") {
		if strings.HasPrefix(line, "▸") {
			return line
		}
	}
	return ""
}

// The processes of all nodes are wanted while the page is open, and no longer.
func TestRanksWantAllProcesses(t *testing.T) {
	r := newRig(t, uitest.RanksFixture())
	r.heard.looks = nil
	r.press("m", "down", "esc", "o")
	want := []lookArguments{{cluster.EveryNode, true}, {"gpu-n01", true}, {"", false}}
	if got := fmt.Sprint(r.heard.looks); got != fmt.Sprint(want) {
		t.Errorf("the screen asks for %v, want %v", got, want)
	}
}

// A page that has ranks of some processes says why it has none of others, and so does the page of such a process.
func TestNoRankSaysWhy(t *testing.T) {
	r := newRig(t, uitest.OverwrittenFixture())
	r.press("m")
	text := strings.Join(strings.Fields(r.text()), " ")
	for _, want := range []string{"The ranks of 9 processes are not known: the program has overwritten its environment",
		"SPT_NOENV=1 keeps it", "318802"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, r.text())
		}
	}
}

// Without ranks the page says why, and lists the processes.
func TestNoRanks(t *testing.T) {
	r := newRig(t, uitest.UnrankedFixture())
	r.press("m")
	text := r.text()
	for _, want := range []string{"No ranks found", "SLURM_PROCID", "318802", "358823", "▸▲     –  gpu-n01"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	empty := uitest.Fixture()
	for _, n := range empty.Nodes {
		n.Processes, n.Listed = nil, false
	}
	r = newRig(t, empty)
	if r.press("m", "down", "enter"); !strings.Contains(r.text(), "waiting for the process lists") {
		t.Errorf("before the first list:\n%s", r.text())
	}
	empty.Jobs[0].Nodes = []string{"gpu-n01"}
	empty.Nodes["gpu-n01"].Listed = true
	r = newRig(t, empty)
	if r.press("m"); !strings.Contains(r.text(), "no processes on the GPUs of this job") {
		t.Errorf("without processes:\n%s", r.text())
	}
}

// A GPU that lags makes the numbers of its rank amber, and its rank is the next problem.
func TestRankThatLags(t *testing.T) {
	s := uitest.RanksFixture()
	s.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindLag, Severity: cluster.Warning, Since: uitest.Ago(90e9),
		Node: "gpu-n02", GPU: 3}}
	uitest.Keyed(s)
	r := newRig(t, s)
	r.press("m", "home", "n")
	if line := r.cursorLine(); !strings.Contains(line, "358811") || !strings.Contains(line, "▲") {
		t.Errorf("the next problem is %q", line)
	}
	colored := string(darkTheme.Encode(nil, shot{snap: func() *cluster.Snapshot { return s },
		view: func(v *view) { v.on = keys.OnRanks }}.take(120, 40)))
	if amber, plain := ink(t, colored, "12.4"), ink(t, colored, "99.3"); amber == plain {
		t.Errorf("12.4 is drawn in %q, as the others are", amber)
	}
}

// ink is the escape sequence that a text is drawn in.
func ink(t *testing.T, screen, text string) string {
	t.Helper()
	before, _, found := strings.Cut(screen, text)
	from := strings.LastIndex(before, "\x1b[")
	if !found || from < 0 {
		t.Fatalf("there is no %q", text)
	}
	return before[from : from+strings.IndexByte(before[from:], 'm')+1]
}

// The node view has the rank of each GPU, where all are of one model, and of each process; one that lags has amber
// numbers there too.
func TestRankColumns(t *testing.T) {
	snap := uitest.RanksFixture()
	snap.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindLag, Severity: cluster.Warning, Since: uitest.Ago(90e9),
		Node: "gpu-n02", GPU: 3}}
	snap.Nodes["gpu-n02"].Processes[0].Foreign, snap.Nodes["gpu-n02"].Processes[0].Command,
		snap.Nodes["gpu-n02"].Processes[0].Name = true, "", ""
	s := shot{snap: func() *cluster.Snapshot { return uitest.Keyed(snap) }, view: func(v *view) { v.chooseNode("gpu-n02", 1) }}
	text := strings.Join(linesOf(s, 120, 40), "\n")
	for _, want := range []string{
		"GPU  RANK   TEMP", "0     8   65°C", "▲  3    11   49°C", "5     –   67°C",
		"358811 C   alice       11   68.7GiB    23", "358761 C+G alice        –", "in another PID namespace",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	colored := string(darkTheme.Encode(nil, s.take(120, 40)))
	if amber, plain := ink(t, colored, "12.4"), ink(t, colored, "100.3"); amber == plain {
		t.Errorf("12.4 is drawn in %q, as the others are", amber)
	}
}
