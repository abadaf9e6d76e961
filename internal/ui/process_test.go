package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// title is the rule of the processes: their scope, how many they are, and their order.
func (r *rig) title() string {
	for line := range strings.SplitSeq(r.text(), "\n") {
		if strings.Contains(line, "Processes of") {
			return strings.Join(strings.Fields(strings.ReplaceAll(line, "─", " ")), " ")
		}
	}
	return ""
}

// pids are those of the processes on the screen, in its order.
func (r *rig) pids() (pids []string) {
	_, below, _ := strings.Cut(r.text(), "COMMAND")
	for line := range strings.SplitSeq(below, "\n") {
		for _, word := range strings.Fields(line) {
			if n, err := strconv.Atoi(word); err == nil && n > 100000 {
				pids = append(pids, word)
			}
		}
	}
	return pids
}

// P opens the processes of what is on the screen, and leads back. Space goes on to the next, and Esc takes the tags
// away first.
func TestProcessesKeys(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"5": "Processes of gpu-n01 9 processes, by GPU", "right 5": "Processes of gpu-n02 9 processes, by GPU",
		"o 5":               "Processes of job 48211 18 processes, on 2 of 4 nodes, by GPU",
		"enter 5":           "Processes of gpu-n01 GPU5 1 process, by GPU",
		"enter 5 w":         "Processes of gpu-n01 9 processes, by GPU",
		"5 w":               "Processes of job 48211 18 processes, on 2 of 4 nodes, by GPU",
		"5 w w":             "Processes of your 2 jobs 20 processes, on 3 of 5 nodes, by GPU",
		"5 w w w":           "Processes of all nodes of your 2 jobs 25 processes, on 3 of 5 nodes, by GPU",
		"5 w w w w W":       "Processes of your 2 jobs 20 processes, on 3 of 5 nodes, by GPU",
		"5 w w end W":       "Processes of job 48377 2 processes, by GPU",
		"5 w w end W W":     "Processes of gpu-s11 7 processes, by GPU",
		"5 end W":           "Processes of gpu-n01 GPU7 1 process, by GPU",
		"5 W W W":           "Processes of gpu-n01 GPU0 1 process, by GPU",
		"5 space j space":   "Processes of gpu-n01 2 tagged of 9, by GPU",
		"5 space space":     "Processes of gpu-n01 2 tagged of 9, by GPU",
		"5 space k space":   "Processes of gpu-n01 9 processes, by GPU",
		"5 end space space": "Processes of gpu-n01 9 processes, by GPU",
		"5 space esc":       "Processes of gpu-n01 9 processes, by GPU",
		"5 space w":         "Processes of job 48211 1 tagged of 18, on 2 of 4 nodes, by GPU",
		"5 ]":               "Processes of gpu-s11 7 processes, by GPU",
		"enter 5 ]":         "Processes of gpu-s11 7 processes, by GPU",
		"enter 5 ] W":       "Processes of gpu-s11 GPU2 1 process, by GPU",
		"enter 5 ] w":       "Processes of job 48377 2 processes, by GPU",
		"5 .":               "Processes of gpu-n01 9 processes, by PID",
		"5 >":               "Processes of gpu-n01 9 processes, by PID",
		"5 <":               "Processes of gpu-n01 9 processes, by time, longest first",
		"5 ,":               "Processes of gpu-n01 9 processes, by time, longest first",
		"5 , ,":             "Processes of gpu-n01 9 processes, by %MEM, most first",
		"5 /":               "Processes of gpu-n01 9 processes, by GPU, last first",
		"5 , /":             "Processes of gpu-n01 9 processes, by time, shortest first",
		"5 o esc":           "Processes of gpu-n01 9 processes, by GPU",
		"5 o x":             "Processes of gpu-n01 9 processes, by GPU", "5 esc": "",
		"5 5": "Processes of gpu-n01 9 processes, by GPU", "5 space esc esc": "",
		"5 q": "Processes of gpu-n01 9 processes, by GPU", "5 M": "Processes of gpu-n01 9 processes, by GPU",
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		if got := r.title(); got != want {
			t.Errorf("after %q: %q, want %q", keys, got, want)
		}
	}
	for keys, want := range map[string]string{
		"5": "48211/gpu-n01 processes", "5 5": "48211/gpu-n01 processes", "5 esc": "48211/gpu-n01 0",
		"enter 5 esc": "48211/gpu-n01 gpu", "m 5 esc": "48211/gpu-n01 ranks", "5 p": "48211/gpu-n01 processes",
		"5 d":     "48211/gpu-n01 processes",
		"5 w end": "48211/gpu-n02 processes", "5 w w end": "48377/gpu-s11 processes",
		"5 w w ]": "48377/gpu-s11 processes", "5 w w ] [": "48211/gpu-n01 processes", "5 !": "48211/gpu-n01 3",
		"5 ?": "48211/gpu-n01 4", "5 n": "48211/gpu-n01 processes",
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		if got := r.where(); got != want {
			t.Errorf("after %q: %s, want %s", keys, got, want)
		}
	}
}

// The two keys of nvitop sort; a capital reverses. The heading has a mark.
func TestProcessesAreSorted(t *testing.T) {
	for keys, want := range map[string]string{
		"n": "318802 318805", "N": "318823 318820", "p": "318761 318802", "P": "318823 318820", "r": "318802 318805",
		"g": "318811 318808", "G": "318761 318817",
		"s": "318817 318802", "c": "318823 318820", "C": "318761 318802", "m": "318802 318805", "M": "318761 318802",
		"t": "318761 318802", "T": "318802 318805", "b": "318814 318808",
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press("5", "o", keys)
		if got := strings.Join(r.pids()[:2], " "); got != want {
			t.Errorf("after o%s there are %s, want %s", keys, got, want)
		}
	}
	r := nvitopRig(t, uitest.Fixture())
	r.press("o", "5", "o", "u")
	for keys, heading := range map[string]string{"on": "NODE↑", "op": "PID↑", "ou": "USER↑", "or": "RANK↑",
		"og": "GPU-MEM↓", "oG": "GPU-MEM↑", "os": "%SM↓", "ob": "%MRW↓", "oc": "%CPU↓", "ot": "TIME↓"} {
		if r.press(keys[:1], keys[1:]); strings.Count(r.text(), heading) != 1 {
			t.Errorf("after %s there is no %q in\n%s", keys, heading, r.text())
		}
	}
}

// Values that are not known come last, in both directions.
func TestUnknownValuesAreSortedLast(t *testing.T) {
	s := uitest.Fixture()
	for i := range s.Nodes["gpu-n01"].Processes {
		if p := &s.Nodes["gpu-n01"].Processes[i]; p.PID == 318811 {
			p.SMPercent, p.CPUPercent, p.GPUMemory, p.MemPercent, p.RSS, p.ElapsedSec, p.Rank, p.User = nil, nil, nil,
				nil, nil, nil, nil, ""
		}
	}
	for _, by := range strings.Split("s S c C g G b B m M t T u U", " ") {
		r := nvitopRig(t, s)
		r.press("5", "o", by)
		if got := r.pids(); len(got) != 9 || got[8] != "318811" {
			t.Errorf("after o%s there are %v", by, got)
		}
	}
}

// The cursor and the tags stay on their processes when rows are sorted, come and go; a tag ends with its process.
func TestProcessesKeepTheirPlace(t *testing.T) {
	r := nvitopRig(t, uitest.Fixture())
	r.press("5", "down", "down", "space", "space", "up")
	r.press("o", "C")
	if line := r.cursorLine(); !strings.HasPrefix(line, "▸●") || !strings.Contains(line, "318761") {
		t.Errorf("sorted, the cursor is on %q", line)
	}
	r.snap = uitest.Fixture()
	n := r.snap.Nodes["gpu-n01"]
	n.Processes = append([]wire.Process{{PID: 300001, GPU: n.GPUs[0].Index,
		Identity: wire.Identity{User: "alice", Name: "new"}, CPUPercent: new(0.1)}}, n.Processes...)
	r.send(tick{r.chain})
	if line := r.cursorLine(); !strings.Contains(line, "318761") || r.pids()[0] != "300001" ||
		!strings.Contains(r.title(), "2 tagged of 10") {
		t.Errorf("a process has come, and the cursor is on %q; %s", line, r.title())
	}
	r.snap = uitest.Fixture()
	n = r.snap.Nodes["gpu-n01"]
	n.Processes = slices.DeleteFunc(n.Processes, func(p wire.Process) bool { return p.PID == 318761 })
	r.send(tick{r.chain})
	if line := r.cursorLine(); !strings.Contains(line, "318805") || !strings.Contains(r.title(), "1 tagged of 8") {
		t.Errorf("the process has ended, and the cursor is on %q; %s", line, r.title())
	}
	r.snap = uitest.Fixture()
	if r.send(tick{r.chain}); !strings.Contains(r.title(), "1 tagged of 9") {
		t.Errorf("another process has the PID, and its tag: %s", r.title())
	}
	r = nvitopRig(t, uitest.Fixture())
	if r.press("5", "o", "C"); !strings.Contains(r.cursorLine(), "318761") {
		t.Errorf("a cursor on the first row goes to %q", r.cursorLine())
	}
}

// A click selects, on a heading it sorts, and once more reverses. In the list of the node view it opens the page. The
// wheel moves the cursor, with Shift the commands.
func TestProcessesMouse(t *testing.T) {
	r := nvitopRig(t, uitest.Fixture())
	y := slices.IndexFunc(strings.Split(r.text(), "\n"),
		func(line string) bool { return strings.Contains(line, "318808") })
	r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 20, Y: y})
	if r.where() != "48211/gpu-n01 processes" || !strings.Contains(r.cursorLine(), "318808") {
		t.Fatalf("a click in the node view leads to %s, %q", r.where(), r.cursorLine())
	}
	lines := strings.Split(r.text(), "\n")
	head := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "COMMAND") })
	cpu := strings.Index(lines[head], "%CPU")
	for _, want := range []string{"by %CPU, most first", "by %CPU, least first", "by %CPU, most first"} {
		if r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: cpu, Y: head}); !strings.Contains(r.title(), want) {
			t.Errorf("the title is %q, want %q", r.title(), want)
		}
	}
	r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: head})
	r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 60, Y: head + 2})
	if line := r.cursorLine(); !strings.Contains(line, "318805") || !strings.Contains(r.title(), "by GPU") {
		t.Errorf("a click selects %q; %s", line, r.title())
	}
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if line := r.cursorLine(); !strings.Contains(line, "318811") {
		t.Errorf("the wheel leads to %q", line)
	}
	r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, Mod: tea.ModShift})
	if line := r.cursorLine(); !strings.Contains(line, "318811") || !strings.Contains(line, "… train.py --config") {
		t.Errorf("the wheel with Shift leads to %q", line)
	}
	if r.press("m"); !r.view.noMouse || !strings.Contains(r.text(), "m mouse: off") {
		t.Error("m does not give the mouse back")
	}
}

// The commands scroll to their ends and back.
func TestCommandsScroll(t *testing.T) {
	r := nvitopRig(t, uitest.Fixture())
	r.press("5")
	for _, test := range []struct{ keys, want string }{
		{"right", "… train.py --config"}, {"right", "…y --config configs"},
		{"$", "…configs/llama70b.yaml --tp 8 --pp 4"}, {"right", "…configs/llama70b.yaml --tp 8 --pp 4"},
		{"left", "…-config configs/llama70b.yaml --tp…"}, {"^", "python -u train.py"},
		{"ctrl+e", "--tp 8 --pp 4"}, {"ctrl+a", "python -u train.py"}, {"left", "python -u train.py"},
	} {
		if r.press(test.keys); !strings.Contains(r.cursorLine(), test.want) {
			t.Errorf("after %s: %q, want %q", test.keys, r.cursorLine(), test.want)
		}
	}
}

// The keys that move in nvitop move here, and so do those of all lists.
func TestProcessesMove(t *testing.T) {
	alt := func(code rune, more tea.KeyMod) tea.Msg { return tea.KeyPressMsg{Code: code, Mod: tea.ModAlt | more} }
	for name, test := range map[string]struct {
		keys []tea.Msg
		pid  string
	}{
		"tab": {[]tea.Msg{tea.KeyPressMsg{Code: tea.KeyTab}, tea.KeyPressMsg{Code: tea.KeyTab},
			tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}}, "318805"},
		"alt":   {[]tea.Msg{alt('j', 0), alt('j', 0), alt('k', 0)}, "318805"},
		"pages": {[]tea.Msg{alt('j', tea.ModShift)}, "318823"},
		"back":  {[]tea.Msg{alt('j', tea.ModShift), alt('k', tea.ModShift)}, "318802"},
	} {
		r := nvitopRig(t, uitest.Fixture())
		r.press("5")
		for _, k := range test.keys {
			r.send(k)
		}
		if !strings.Contains(r.cursorLine(), test.pid) {
			t.Errorf("%s: the cursor is on %q", name, r.cursorLine())
		}
	}
	r := nvitopRig(t, uitest.Fixture())
	r.press("5", "right", "end", "k", "g", "j", "pgdown", "pgup")
	if line := r.cursorLine(); !strings.Contains(line, "318802") {
		t.Errorf("the cursor is on %q", line)
	}
}

// Others' processes are dimmed, and those on GPUs of other jobs are left out where the GPUs are.
func TestOthersProcesses(t *testing.T) {
	s := shot{snap: uitest.Fixture, view: func(v *view) { v.job = "48377" }, typed: "5"}
	colored := string(darkTheme.Encode(nil, s.take(120, 40)))
	if mine, others := ink(t, colored, "901241"), ink(t, colored, "901220"); mine == others {
		t.Errorf("bob's process is drawn in %q, as one's own", others)
	}
	r := nvitopRig(t, uitest.Fixture())
	r.press("]", "a", "5")
	if got := r.pids(); !slices.Equal(got, []string{"901234", "901241"}) {
		t.Errorf("without the others' GPUs there are %v", got)
	}
}

// a, f and c say whether the GPUs are above the processes. By itself they are where they leave room.
func TestProcessesModes(t *testing.T) {
	for keys, want := range map[string][2]bool{"5": {true, true}, "5 c": {false, false}, "5 f": {true, true},
		"5 c a": {true, true}, "5 f c": {false, false}, "o 5": {true, true}} {
		for i, h := range []int{40, 24} {
			r := nvitopRig(t, uitest.Fixture())
			r.send(tea.WindowSizeMsg{Width: 120, Height: h})
			r.press(strings.Fields(keys)...)
			if got := strings.Contains(r.text(), "TEMP ") || strings.Contains(r.text(), "MAX°C"); got != want[i] {
				t.Errorf("%q, %d rows: GPUs are shown: %v", keys, h, got)
			}
		}
	}
	for keys, want := range map[string]bool{"o 5": false, "o 5 f": true} {
		r := nvitopRig(t, uitest.BigFixture())
		r.press(strings.Fields(keys)...)
		if got := strings.Contains(r.text(), "of 64, worst first"); got != want {
			t.Errorf("%q of 64 nodes: the worst are shown: %v", keys, got)
		}
	}
}

// The processes of the node are wanted, those of all nodes where the job's are shown.
func TestProcessesAreWanted(t *testing.T) {
	r := nvitopRig(t, uitest.Fixture())
	r.heard.looks = nil
	r.press("right", "5", "w", "esc", "5", "w", "w", "W", "W")
	want := []lookArguments{{"gpu-n02", true}, {cluster.EveryNode, true}, {"gpu-n02", true}, {cluster.EveryNode, true},
		{"gpu-n02", true}}
	if fmt.Sprint(r.heard.looks) != fmt.Sprint(want) {
		t.Errorf("the screen asks for %v, want %v", r.heard.looks, want)
	}
}

// Without processes the page says why.
func TestNoProcesses(t *testing.T) {
	for keys, want := range map[string]string{"left 5": "login refused", "right right 5": "connecting",
		"5 W": "waiting for the process list", "o 5": "waiting for the process lists of the nodes",
		"5 w w": "no processes on the GPUs of your jobs"} {
		s := uitest.Fixture()
		for _, n := range s.Nodes {
			n.Processes, n.Listed = nil, false
		}
		r := nvitopRig(t, s)
		if r.press(strings.Fields(keys)...); !strings.Contains(r.text(), want) {
			t.Errorf("%q: there is no %q in\n%s", keys, want, r.text())
		}
	}
}

// The option says whether there are GPUs above the processes; by itself the page has them where there is room.
func TestMonitor(t *testing.T) {
	for _, test := range []struct {
		mode   string
		height int
		gpus   bool
	}{{"", 40, true}, {"auto", 14, false}, {"full", 14, true}, {"compact", 40, false}} {
		r := nvitopRig(t, uitest.Fixture())
		o := r.Options
		o.Monitor = test.mode
		r.model = newModel(o, &r.out)
		r.send(tea.WindowSizeMsg{Width: 120, Height: test.height})
		r.send(tick{})
		r.press("5")
		if got := strings.Contains(r.text(), "USED/TOT"); got != test.gpus {
			t.Errorf("%q at a height of %d: GPUs are shown is %v\n%s", test.mode, test.height, got, r.text())
		}
	}
}
