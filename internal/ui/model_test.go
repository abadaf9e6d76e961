package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/ui/gpu"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/process"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// asked records what the screen asks for.
type asked struct {
	touched, refreshed int
	left               int
	looks              []lookArguments
	listed             []bool
	canceled           []string // the jobs, and the signals
	signals            int      // requests
	clusters           []bool   // whether a new answer was wanted
	waiting            []string // jobs
}

func (a *asked) Touch()              { a.touched++ }
func (a *asked) Leave()              { a.left++ }
func (a *asked) Refresh()            { a.refreshed++ }
func (a *asked) ListJobs(shown bool) { a.listed = append(a.listed, shown) }
func (a *asked) Look(node string, processes bool) {
	a.looks = append(a.looks, lookArguments{node, processes})
}

func (a *asked) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return wire.Reply{}, errors.New("no deadline")
	}
	if r.Signal != nil {
		a.signals++
		result := uitest.SomeReplies(nav.Ask{Node: node, Request: r})
		return result.Reply, result.Err
	}
	if node != "gpu-n01" {
		return wire.Reply{}, errors.New("not watched")
	}
	return wire.Reply{ID: 3, Environ: &wire.Environ{Variables: []string{fmt.Sprint("PID=", r.Environ.PID)}}}, nil
}

func (a *asked) Cancel(ctx context.Context, job, signal string) error {
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("no deadline")
	}
	a.canceled = append(a.canceled, job+" "+signal)
	return errors.New("refused")
}

func (a *asked) Accounts(context.Context, string) ([]sacct.Job, error) {
	return nil, errors.New("the screen asks for reports")
}

func (a *asked) Cluster(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("no deadline")
	}
	a.clusters = append(a.clusters, fresh)
	return uitest.ACluster(8), nil
}

func (a *asked) Waiting(ctx context.Context, job string) (*queue.Wait, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("no deadline")
	}
	a.waiting = append(a.waiting, job)
	return uitest.AWait(), nil
}

func (a *asked) Log(ctx context.Context, q joblog.Query) (joblog.Piece, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return joblog.Piece{}, errors.New("no deadline")
	}
	return joblog.Piece{Path: "/home/alice/slurm-" + q.Job + ".out", Both: true}, nil
}

// rig is a model with all that it touches. One goroutine does the work.
type rig struct {
	*model
	t          *testing.T
	snap       *cluster.Snapshot
	now        time.Time
	heard      asked
	remembered []string
	out        bytes.Buffer
	screen     *vt.Emulator
	mouse      tea.MouseMode // of the screen
}

// screenPool keeps the emulators of rigs that nobody uses any more: each has 4 MiB.
type screenPool struct {
	mu   sync.Mutex
	free []*vt.Emulator
}

var screens screenPool

// take returns an emulator in its first state.
func (p *screenPool) take() *vt.Emulator {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.free) - 1; last >= 0 {
		screen := p.free[last]
		p.free = p.free[:last]
		return screen
	}
	screen := vt.NewEmulator(120, 40)
	screen.RegisterOscHandler(11, func([]byte) bool { return true }) // nobody reads its answers: they would block it
	return screen
}

func (p *screenPool) putBack(screen *vt.Emulator) {
	screen.Resize(120, 40)
	if _, err := screen.WriteString(ansi.ResetInitialState); err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, screen)
}

func newRig(t *testing.T, snap *cluster.Snapshot) *rig { return rigFor(t, snap, "") }

// nvitopRig is a model with the keys of nvitop.
func nvitopRig(t *testing.T, snap *cluster.Snapshot) *rig { return rigFor(t, snap, KeysNvitop) }

func rigFor(t *testing.T, snap *cluster.Snapshot, keys string) *rig {
	raced.Skip(t)
	r := &rig{t: t, snap: snap, now: uitest.Now, screen: screens.take()}
	runtime.AddCleanup(r, screens.putBack, r.screen)
	r.model = newModel(Options{
		Snapshot: func(time.Time) *cluster.Snapshot { return r.snap }, Now: func() time.Time { return r.now },
		Controls: &r.heard, Keys: keys,
		Display: time.Second, Profile: colorprofile.TrueColor,
		Choices:         settings.Choices{Theme: "dark", View: ViewNode},
		Version:         "nvnodetop 0.1.0",
		RememberClassic: func(classic bool) { r.remembered = append(r.remembered, fmt.Sprint("classic ", classic)) },
		RememberView:    func(view string) { r.remembered = append(r.remembered, "view "+view) },
	}, &r.out)
	r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	r.send(tick{})
	return r
}

// send gives the model a message and lets it draw, as Bubble Tea does.
func (r *rig) send(msg tea.Msg) tea.Cmd {
	r.t.Helper()
	_, cmd := r.Update(onScreen(msg, r.scene))
	r.View()
	r.terminal.Flush()
	switch {
	case bytes.Contains(r.out.Bytes(), []byte(ansi.SetModeMouseButtonEvent)):
		r.mouse = tea.MouseModeCellMotion
	case bytes.Contains(r.out.Bytes(), []byte(ansi.ResetModeMouseButtonEvent)):
		r.mouse = tea.MouseModeNone
	}
	if _, err := r.screen.Write(r.out.Bytes()); err != nil {
		r.t.Fatal(err)
	}
	r.out.Reset()
	return cmd
}

var named = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "tab": tea.KeyTab,
	"enter": tea.KeyEnter, "esc": tea.KeyEscape,
	"space": tea.KeySpace, "backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd,
	"delete": tea.KeyDelete, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f2": tea.KeyF2,
}

// pressed is the message of a key by its name.
func pressed(k string) tea.KeyPressMsg { return keys.Pressed(k) }

// press presses keys by name.
func (r *rig) press(keys ...string) tea.Cmd {
	r.t.Helper()
	var cmd tea.Cmd
	for _, k := range keys {
		cmd = r.send(pressed(k))
	}
	return cmd
}

// text is the screen without the bar of pages.
func (r *rig) text() string {
	lines := strings.Split(ansi.Strip(r.screen.Render()), "\n")
	if r.scene.WithBar {
		lines = withoutBar(lines)
	}
	return strings.Join(lines, "\n")
}

// where is "job/node" of the selection, with the screen: 0 node, 1 overview, 2 connection, 3 problems, 4 palette.
func (r *rig) where() string {
	if r.view.palette.IsOpen() {
		return fmt.Sprintf("%s/%s 4", r.view.job, r.view.nodes[r.view.job].name)
	}
	if r.view.on == keys.OnRanks {
		return fmt.Sprintf("%s/%s ranks", r.view.job, r.view.nodes[r.view.job].name)
	}
	if r.view.on == keys.OnProcesses {
		return fmt.Sprintf("%s/%s processes", r.view.job, r.view.nodes[r.view.job].name)
	}
	if r.view.on == keys.OnGPU {
		return fmt.Sprintf("%s/%s gpu", r.view.job, r.view.nodes[r.view.job].name)
	}
	number := map[keys.Page]int{keys.OnOverview: 1, keys.OnConnection: 2, keys.OnProblems: 3, keys.OnJobs: 7,
		keys.OnUsers: 8, keys.OnSettings: 9}[r.view.on]
	return fmt.Sprintf("%s/%s %d", r.view.job, r.view.nodes[r.view.job].name, number)
}

// The pages of a view.
func (v *view) node() *node.Page         { return v.pages[keys.OnNode].(*node.Page) }
func (v *view) overview() *overview.Page { return v.pages[keys.OnOverview].(*overview.Page) }
func (v *view) gpu() *gpu.Page           { return v.pages[keys.OnGPU].(*gpu.Page) }
func (v *view) process() *process.Page   { return v.pages[keys.OnProcesses].(*process.Page) }

// In the node view keys move through jobs and nodes, round the ends; in the overview they move the cursor, and stop at
// the edges. The node of each job is remembered. Esc goes up.
func TestMoving(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, test := range []struct {
		keys string
		want string
	}{
		{"", "48211/gpu-n01 0"},
		{"down", "48377/gpu-s11 0"}, {"j", "48377/gpu-s11 0"}, {"]", "48377/gpu-s11 0"}, {"1", "48211/gpu-n01 7"},
		{"1 esc", "48211/gpu-n01 0"}, {"U", "48211/gpu-n01 8"},
		{"down down", "48211/gpu-n01 0"},
		{"up", "48377/gpu-s11 0"}, {"k", "48377/gpu-s11 0"}, {"[", "48377/gpu-s11 0"}, {"K", "48377/gpu-s11 0"},
		{"J J", "48211/gpu-n01 0"}, {"P", "48211/gpu-n01 0"},
		{"right", "48211/gpu-n02 0"}, {">", "48211/gpu-n02 0"}, {".", "48211/gpu-n02 0"},
		{"left", "48211/gpu-n04 0"}, {"<", "48211/gpu-n04 0"}, {",", "48211/gpu-n04 0"},
		{"right right right right", "48211/gpu-n01 0"},
		{"right right down right up", "48211/gpu-n03 0"},
		{"o", "48211/gpu-n01 1"}, {"O", "48211/gpu-n01 1"}, {"tab", "48211/gpu-n01 1"}, {"o o", "48211/gpu-n01 0"},
		{"o esc", "48211/gpu-n01 1"}, {"esc", "48211/gpu-n01 1"},
		{"o down enter", "48211/gpu-n02 0"}, {"o j down o", "48211/gpu-n03 0"}, {"o down enter esc", "48211/gpu-n02 1"},
		{"o up", "48211/gpu-n01 1"}, {"o down down down down", "48211/gpu-n04 1"}, {"o right", "48211/gpu-n01 1"},
		{"o ,", "48211/gpu-n04 1"},
		{"o end", "48211/gpu-n04 1"}, {"o G up", "48211/gpu-n03 1"}, {"o G g", "48211/gpu-n01 1"},
		{"o pgdown", "48211/gpu-n04 1"}, {"o pgdown ctrl+u", "48211/gpu-n01 1"},
		{"o ]", "48377/gpu-s11 1"}, {"o [ ]", "48211/gpu-n01 1"},
		// worst first: n04, n01, n02, n03
		{"o s", "48211/gpu-n04 1"}, {"o s enter", "48211/gpu-n04 0"}, {"o s down", "48211/gpu-n01 1"},
		{"o s down s", "48211/gpu-n01 1"},
		{"d", "48211/gpu-n01 2"}, {"D d", "48211/gpu-n01 0"}, {"o d esc", "48211/gpu-n01 1"},
		{"d right", "48211/gpu-n02 2"}, {"d esc", "48211/gpu-n01 0"},
		{"d down", "48377/gpu-s11 2"}, {"right right d", "48211/gpu-n03 0"}, // it is the connection page already
		{"?", "48211/gpu-n01 4"}, {"h", "48211/gpu-n01 4"}, {"H x", "48211/gpu-n01 4"}, {"? q", "48211/gpu-n01 4"},
		{"? esc", "48211/gpu-n01 0"},
		{"? ?", "48211/gpu-n01 0"},
		{"o ? right", "48211/gpu-n01 4"}, {"d ? esc", "48211/gpu-n01 2"}, {"d ? esc esc", "48211/gpu-n01 0"},
		{"n", "48211/gpu-n02 0"}, {"n n", "48211/gpu-n04 0"}, {"n n n", "48211/gpu-n01 0"}, {"N", "48211/gpu-n04 0"},
		{"o n", "48211/gpu-n02 1"},
		{"] n", "48211/gpu-n01 0"}, {"] N", "48211/gpu-n01 0"},
		{"enter x", "48211/gpu-n01 gpu"}, {"enter", "48211/gpu-n01 gpu"}, {"enter esc", "48211/gpu-n01 0"},
		{"enter down", "48211/gpu-n02 gpu"}, {"enter down esc", "48211/gpu-n02 0"},
		{"enter up", "48211/gpu-n04 gpu"}, {"enter .", "48211/gpu-n02 gpu"}, {"enter right", "48211/gpu-n01 gpu"},
		{"enter ]", "48377/gpu-s11 gpu"}, {"enter n", "48211/gpu-n02 gpu"},
		{"g o", "48211/gpu-n01 1"}, {"enter p", "48211/gpu-n01 0"}, {"enter ! esc", "48211/gpu-n01 gpu"},
		{"enter d esc esc", "48211/gpu-n01 0"}, {"enter ? esc", "48211/gpu-n01 gpu"},
		{"right right g", "48211/gpu-n03 0"}, {"o enter g esc esc", "48211/gpu-n01 1"},
	} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(test.keys)...)
		if got := r.where(); got != test.want {
			t.Errorf("after %q: %s, want %s", test.keys, got, test.want)
		}
		if want := len(strings.Fields(test.keys)); r.heard.touched != want {
			t.Errorf("after %q: Touch was called %d times", test.keys, r.heard.touched)
		}
	}
}

// A selection is a name: it stays when lists change, and a neighbor takes the place of what is gone.
func TestSelectionIsByName(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("right")
	next := uitest.Fixture()
	next.Jobs[0].Nodes = []string{"gpu-n00", "gpu-n01", "gpu-n02"}
	next.Jobs = slices.Insert(next.Jobs, 0, cluster.JobView{Job: cluster.Job{ID: "48100", Nodes: []string{"gpu-n09"}}})
	r.snap = next
	r.send(tick{r.chain})
	if got := r.where(); got != "48211/gpu-n02 0" {
		t.Errorf("a new job and a new node moved the selection to %s", got)
	}
	gone := uitest.Fixture()
	gone.Jobs[0].Nodes = []string{"gpu-n01", "gpu-n03"}
	r.snap = gone
	r.send(tick{r.chain})
	if got := r.where(); got != "48211/gpu-n03 0" {
		t.Errorf("the node has left the job, and %s is selected", got)
	}
	ended := uitest.Fixture()
	ended.Jobs = ended.Jobs[1:]
	r.snap = ended
	r.send(tick{r.chain})
	if got := r.where(); got != "48377/gpu-s11 0" {
		t.Errorf("the job has ended, and %s is selected", got)
	}
	r.snap = uitest.NoJobsFixture()
	r.send(tick{r.chain})
	r.press("right", "down", "p", "o", "v", "s", "enter", "d")
	if !strings.Contains(r.text(), "No running SLURM jobs found.") {
		t.Errorf("without a job the screen shows\n%s", r.text())
	}
}

// The next job takes the place of an ended job; after the last job, the one before it does.
func TestTheNextJobTakesThePlace(t *testing.T) {
	for keys, want := range map[string]string{"": "48377/gpu-s11 0", "down": "48400/gpu-n03 0",
		"up": "48377/gpu-s11 0"} {
		r := newRig(t, uitest.Fixture())
		three := uitest.Fixture()
		three.Jobs = append(three.Jobs, cluster.JobView{Job: cluster.Job{ID: "48400", Nodes: []string{"gpu-n03"}}})
		r.snap = three
		r.send(tick{r.chain})
		r.press(strings.Fields(keys)...)
		ended := *three
		ended.Jobs = slices.DeleteFunc(slices.Clone(three.Jobs),
			func(j cluster.JobView) bool { return j.ID == r.view.job })
		r.snap = &ended
		r.send(tick{r.chain})
		if got := r.where(); got != want {
			t.Errorf("after %q the job has ended, and %s is selected, want %s", keys, got, want)
		}
	}
}

// Controls hear which node is looked at, once for each change.
func TestLook(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.send(tick{r.chain})
	r.press("right", "p", "o", "p", "p")
	want := []lookArguments{{"gpu-n01", true}, {"gpu-n02", true}, {"gpu-n02", false}, {"", false}, {"gpu-n02", true},
		{"gpu-n02", false}}
	if !slices.Equal(r.heard.looks, want) {
		t.Errorf("Look heard %v, want %v", r.heard.looks, want)
	}
	r.press("1", "j", "3", "1")
	if want := []bool{true, false, true}; !slices.Equal(r.heard.listed, want) {
		t.Errorf("ListJobs heard %v, want %v", r.heard.listed, want)
	}
}

// The answer to a key is looked for at once, by one chain of ticks.
func TestHurry(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	if r.press("p"); r.chain != 0 {
		t.Fatal("the processes are hidden, and the next look is early")
	}
	r.press("p")
	chain := r.chain
	if chain == 0 || !r.isUserWaiting(r.scene) {
		t.Fatalf("processes were asked for, and the next look is at the usual pace (chain %d)", chain)
	}
	if cmd := r.send(tick{chain - 1}); cmd != nil {
		t.Error("the old chain of ticks goes on")
	}
	if cmd := r.send(tick{chain}); cmd == nil {
		t.Error("the new chain of ticks has ended")
	}
	r.began = uitest.Ago(time.Minute)
	if !r.isUserWaiting(r.scene) {
		t.Error("the list is from before the key, and the pace is not fast")
	}
	r.snap.Nodes["gpu-n01"].ListedAt = r.now.Add(time.Millisecond)
	if r.isUserWaiting(r.scene) {
		t.Error("the list has come, and the pace stays fast")
	}
	r.snap.Nodes["gpu-n01"].ListedAt, r.asked = r.now, uitest.Ago(time.Minute)
	if r.isUserWaiting(r.scene) {
		t.Error("the list does not come, and the pace stays fast")
	}
	r.press("a")
	if r.chain != chain {
		t.Error("a key that asks for nothing has begun a new chain")
	}
}

// Until every node of the job has reported or failed, the screen is redrawn often, but not forever.
func TestHurryAtFirst(t *testing.T) {
	connecting := uitest.Fixture()
	connecting.Nodes = map[string]*cluster.Node{"gpu-n03": connecting.Nodes["gpu-n03"]}
	old, settled := uitest.Fixture(), uitest.Fixture()
	for _, n := range old.Nodes {
		n.State = cluster.NodeStale
	}
	settled.Nodes["gpu-n03"].State = cluster.NodeFailed
	for _, test := range []struct {
		snap    *cluster.Snapshot
		after   time.Duration
		waiting bool
	}{
		{old, 0, true},
		{connecting, 0, true}, {connecting, fastFirst, true}, {connecting, fastFirst + time.Second, false},
		{uitest.Fixture(), 0, true}, {settled, 0, false},
	} {
		r := newRig(t, connecting)
		r.snap, r.now = test.snap, uitest.Now.Add(test.after)
		r.send(tick{r.chain})
		r.asked = time.Time{} // no key
		if got := r.isUserWaiting(r.scene); got != test.waiting {
			t.Errorf("%v after the begin, with %d nodes: waits %v, want %v", test.after, len(test.snap.Nodes), got,
				test.waiting)
		}
	}
}

func TestRefresh(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("r", "f5", "?", "r")
	if r.heard.refreshed != 2 {
		t.Errorf("Refresh was called %d times, want 2: the palette has the third key", r.heard.refreshed)
	}
}

// The choices of C and o are remembered; Enter and Esc are no choice.
func TestRemember(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("C", "c", "C", "o", "tab", "esc", "enter", "o")
	if want := []string{"classic true", "classic false", "view overview", "view node",
		"view overview"}; !slices.Equal(r.remembered, want) {
		t.Errorf("remembered %v, want %v", r.remembered, want)
	}
}

// A job of several nodes starts in the overview, one of one node in the node view, unless the user says otherwise.
func TestStartsIn(t *testing.T) {
	t.Parallel()
	one := uitest.Fixture()
	one.Jobs = one.Jobs[1:]
	for _, test := range []struct {
		view string
		snap *cluster.Snapshot
		keys string
		want string
	}{
		{"", uitest.Fixture(), "", "48211/gpu-n01 1"}, {ViewAuto, uitest.Fixture(), "", "48211/gpu-n01 1"},
		{ViewAuto, one, "", "48377/gpu-s11 0"},
		{ViewNode, uitest.Fixture(), "", "48211/gpu-n01 0"}, {ViewOverview, one, "", "48377/gpu-s11 1"},
		{ViewAuto, uitest.Fixture(), "]", "48377/gpu-s11 0"}, {ViewAuto, uitest.Fixture(), "] [", "48211/gpu-n01 1"},
		{ViewAuto, uitest.Fixture(), "down ]", "48377/gpu-s11 0"},
		{ViewAuto, uitest.Fixture(), "enter ] ]", "48211/gpu-n01 0"}, {ViewAuto, uitest.Fixture(), "d esc ]", "48377/gpu-s11 1"},
		{ViewOverview, uitest.Fixture(), "]", "48377/gpu-s11 1"},
	} {
		r := newRig(t, uitest.NoJobsFixture())
		r.view = newNodeView()
		r.view.route = newRoute(test.view)
		r.snap = test.snap
		r.send(tick{r.chain})
		r.press(strings.Fields(test.keys)...)
		if got := r.where(); got != test.want {
			t.Errorf("--view %q, then %q: %s, want %s", test.view, test.keys, got, test.want)
		}
	}
}

// The terminal hears that the mouse is wanted, and M gives it back.
func TestMouseModes(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.send(tea.WindowSizeMsg{Width: 60, Height: 15})
	for _, want := range []tea.MouseMode{tea.MouseModeCellMotion, tea.MouseModeNone, tea.MouseModeCellMotion} {
		if got := r.View().MouseMode; got != want || r.mouse != want {
			t.Errorf("the mouse mode is %v, the terminal's %v, want %v", got, r.mouse, want)
		}
		if off := strings.Contains(r.text(), "M mouse: off"); off != (want == tea.MouseModeNone) {
			t.Errorf("in mode %v the footer says that it is off: %v", want, off)
		}
		r.press("M")
	}
}

func TestQuit(t *testing.T) {
	for _, k := range []string{"q", "Q", "ctrl+c", "? ctrl+c", "o / ctrl+c"} {
		r := newRig(t, uitest.Fixture())
		cmd := r.press(strings.Fields(k)...)
		if cmd == nil {
			t.Fatalf("%s does not quit", k)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", k)
		}
	}
}

// Each screen that keys lead to is the one that is drawn.
func TestScreens(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	for _, test := range [][2]string{
		{"", "Problems on this node"}, {"", "python -u train.py"}, {"o", "USED/TOT GiB"}, {"v", "above the median, "},
		{"v", "HEALTH"}, {"s", "sort: worst"}, {"s", "sort: name"}, {"home enter", "Processes"},
		{"d", "first report after"},
		{"? end", "--ascii"}, {"esc", "first report after"}, {"esc", "Processes"}, {"left", "pam_slurm_adopt"},
	} {
		r.press(strings.Fields(test[0])...)
		if !strings.Contains(r.text(), test[1]) {
			t.Fatalf("after %q there is no %q:\n%s", test[0], test[1], r.text())
		}
	}
	r.press("down", "a")
	if text := r.text(); strings.Contains(text, "carol") || !strings.Contains(text, "eval.py") {
		t.Errorf("only mine shows\n%s", text)
	}
}

// The hints of the footers must be keys, in the golden frames of all pages.
func TestHintsAreKeys(t *testing.T) {
	shown := map[string]bool{"Up/Dn": true, "Lf/Rt": true, "[]": true, ",.": true, "Tab": true}
	inASCII := strings.NewReplacer("↑", "Up", "↓", "Dn", "←", "Lf", "→", "Rt")
	for _, row := range keyRows {
		for _, b := range row.Bindings {
			name, _, _ := strings.Cut(b.Help().Key, " ")
			shown[inASCII.Replace(name)] = true
		}
	}
	own, _ := filepath.Glob("testdata/*-200x50-ascii.golden")
	all, _ := filepath.Glob("*/testdata/*-200x50-ascii.golden")
	if all = append(all, own...); len(own) < 20 || len(all) < 120 {
		t.Fatalf("%d golden frames, %d of the screen", len(all), len(own))
	}
	for _, path := range all {
		if !hasPrompt(path) {
			checkHints(t, path, shown)
		}
	}
}

// hasPrompt reports whether a golden frame ends in a prompt, with keys of its own.
func hasPrompt(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), "-200x50-ascii.golden")
	return strings.HasPrefix(name, "filter-prompt") || slices.Contains([]string{"environ-search", "details-search",
		"processes-sorting", "processes-filter", "palette"}, name)
}

// placeInList are the rows that a list shows.
var placeInList = regexp.MustCompile(`^\d+-\d+ of \d+$`)

func checkHints(t *testing.T, path string, keys map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for h := range strings.SplitSeq(strings.TrimSpace(lines[len(lines)-1]), "  ") {
		k, _, _ := strings.Cut(h, " ")
		if k != "" && !strings.HasPrefix(k, "nvnodetop") && !placeInList.MatchString(h) && !keys[k] {
			t.Errorf("%s promises the key of %q", path, h)
		}
	}
}

// A message that changes nothing writes nothing, and a second changes little.
func TestLittleIsWritten(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.Update(tea.FocusMsg{})
	r.View()
	r.terminal.Flush()
	if r.out.Len() > 0 {
		t.Errorf("nothing has changed, and %q is written", r.out.String())
	}
	later := *r.snap
	later.At = later.At.Add(time.Second)
	r.snap = &later
	r.Update(tick{r.chain})
	r.View()
	r.terminal.Flush()
	if n := r.out.Len(); n == 0 || n > 400 {
		t.Errorf("a second has passed, and %d bytes are written", n)
	}
}

// A size or a background that changes is redrawn as a whole.
func TestRepaint(t *testing.T) {
	for name, msg := range map[string]tea.Msg{
		"size": tea.WindowSizeMsg{Width: 100, Height: 30}, "light": tea.BackgroundColorMsg{Color: color.White},
		"colors": tea.ColorProfileMsg{Profile: colorprofile.ANSI},
		"ctrl+l": tea.KeyPressMsg{Code: 'l', Mod: tea.ModCtrl},
	} {
		r := newRig(t, uitest.Fixture())
		r.Update(msg)
		r.View()
		r.terminal.Flush()
		if !strings.Contains(r.out.String(), "\x1b[2J") {
			t.Errorf("%s: the screen is not redrawn", name)
		}
	}
}

func TestBackground(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.send(tea.BackgroundColorMsg{Color: color.White})
	if !r.light {
		t.Error("a white background is not light")
	}
	r.send(tea.BackgroundColorMsg{Color: color.Black})
	if r.light {
		t.Error("a black background is light")
	}
}

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, fmt.Errorf("input/output error") }

// A terminal that is gone ends the program.
func TestTerminalGone(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.terminal = terminal.New(gone{})
	r.Update(tick{r.chain})
	r.press("o")
	_, cmd := r.Update(tick{r.chain})
	if cmd == nil {
		t.Fatal("the model goes on without a terminal")
	}
	if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Error("the model goes on without a terminal")
	}
}

// On the screen of somebody who has no job, a key changes nothing that would be seen only later.
func TestKeysWithoutAJob(t *testing.T) {
	r := newRig(t, uitest.NoJobsFixture())
	fresh := newNodeView()
	fresh.settings = r.view.settings
	for _, k := range []string{"o", "p", "d", "a", "right", "up", "enter", "v", "s", "/"} {
		r.press(k)
		if diff := cmp.Diff(fresh, r.view, uitest.Everything); diff != "" {
			t.Errorf("%s changed the view:\n%s", k, diff)
		}
	}
	if r.press("?"); !r.view.palette.IsOpen() {
		t.Error("there is no help")
	}
}
