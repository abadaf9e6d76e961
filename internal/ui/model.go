package ui

import (
	"cmp"
	"context"
	"io"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/lookback"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// model is the Bubble Tea model. It draws when something has changed, not whenever Bubble Tea asks, and writes its
// frames itself: see package terminal.
type model struct {
	Options
	view  *view
	scene *part.Scene // from the last Snapshot, with the selection resolved
	told  lookArguments
	lists bool // the list of jobs is on the screen, as last told to Controls
	past  lookback.Past
	nccl  *ask.Asker
	pace
	rests

	height   int // height of the terminal: a recording has a line below the scene
	light    bool
	theme    *draw.Theme
	terminal *terminal.Terminal
	title    string // of the window
	dirty    bool
}

// lookArguments holds the arguments of the last call of Controls.Look.
type lookArguments struct {
	node      string
	processes bool
}

// newModel returns the model with its first Snapshot, for the output out.
func newModel(o Options, out io.Writer) *model {
	m := &model{Options: o, view: newView(&o), terminal: terminal.New(out)}
	m.nccl = ask.New(func(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
		return m.Controls.Ask(ctx, node, r)
	})
	m.scene = &part.Scene{ASCII: o.ASCII, Display: o.Display, Banner: o.Banner, HelpURL: o.HelpURL, Notice: o.Banner,
		Login: o.Login, ReadOnly: o.ReadOnly, Version: o.Version, Memory: &part.Memory{}}
	m.scene.Only, m.scene.Matching, m.scene.Replay = o.Only, o.Processes, o.Tape != nil
	m.pace = newPace(&m.Options)
	m.applySettings()
	m.applyTheme()
	m.takeSnapshot()
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.nextTick(m.scene) }

// takeSnapshot gets a new Snapshot.
func (m *model) takeSnapshot() {
	if m.scene.Opening = m.openingText(); m.scene.Opening != "" {
		m.past.Await(m.Now())
	} else {
		m.past.Keep(m.Snapshot(m.Now()))
	}
	m.scene.Slow = 1
	m.noteRecording()
	if m.scene.Recording == "" && m.isUnseen() {
		m.scene.Slow = source.IdleFactor
	}
	m.showSnapshot()
}

// openingText says what the screen still waits for. Once that is nothing, nobody is asked again.
func (o *Options) openingText() (what string) {
	if o.Opening == nil {
		return ""
	}
	if what = o.Opening(); what == "" {
		o.Opening = nil
	}
	return what
}

// noteRecording stores the state of the recording. If a recording ends while the terminal is detached, the pace slows
// down.
func (m *model) noteRecording() {
	if m.Record == nil {
		return
	}
	was := m.scene.Recording
	m.scene.Recording = m.Record.Status()
	if m.detached && was != "" && m.scene.Recording == "" {
		m.Controls.Leave()
	}
}

// resolveScene settles the selection and marks the frame for redrawing.
func (m *model) resolveScene() {
	m.view.resolveSelection(m.scene)
	m.scene.LooksBack = m.canLookBack()
	m.dirty = true
}

func (m *model) applyTheme() {
	if draw.AsksTerminal(m.Theme) && !m.ASCII { // an ASCII terminal does not understand the question
		m.terminal.Ask()
	}
	m.theme = draw.ForScreen(m.Theme, m.Profile, m.light, m.ASCII)
	m.terminal.Forget()
	m.dirty = true
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.restoreOnPanic()
	if m.terminal.Failure() != nil {
		return m, tea.Quit
	}
	switch msg := msg.(type) {
	case tick:
		if msg.chain != m.chain {
			return m, nil
		}
		m.takeSnapshot()
		m.notifyLook()
		return m, tea.Batch(m.nextTick(m.scene), m.askOn())
	case tea.KeyPressMsg:
		return m, tea.Batch(m.noteUser(), m.key(msg))
	case uv.UnknownCsiEvent:
		m.terminal.Answered(string(msg))
	case attached:
		return m, m.handleAttached(msg)
	case tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		woken := m.noteUser()
		if did, taken := m.passMessage(msg); taken {
			m.resolveScene()
			return m, tea.Batch(woken, did, m.updateWants())
		}
		return m, woken
	case resultMsg:
		return m, m.passResult(msg)
	case stillMsg:
		return m, m.handleRestEnd(msg, m.scene, m.terminal.Behind())
	case fadeMsg:
		if msg.touches == m.touches {
			m.scene.Notice, m.scene.OtherJob, m.dirty = "", false, true
		}
	case recordingMsg:
		m.scene.Notice = msg.said
		m.takeSnapshot()
	case settings.Saved:
		m.view.settings.Told(msg)
		m.dirty = true
		return m, m.writeSettings(&m.view.settings)
	case settings.Tried:
		m.view.settings.Answered(msg)
		m.dirty = true
	case Alert:
		return m, m.showAlert(msg)
	default:
		m.adaptToTerminal(msg)
	}
	return m, nil
}

// adaptToTerminal stores the size and the colors of the terminal.
func (m *model) adaptToTerminal(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.height = msg.Height
		if m.Tape != nil {
			msg.Height--
		}
		m.scene.Resize(msg.Width, msg.Height)
		m.resolveScene()
	case tea.BackgroundColorMsg:
		m.light = !msg.IsDark()
		m.applyTheme()
	case tea.ColorProfileMsg:
		if m.Profile != msg.Profile {
			m.Profile = msg.Profile
			m.applyTheme()
		}
	}
}

// noteUser notes that the user is there, and speeds up the ticks if the screen was idle.
func (m *model) noteUser() tea.Cmd {
	m.Controls.Touch()
	m.noteKey()
	m.dirty = m.dirty || m.scene.Notice != "" || m.scene.OtherJob
	m.scene.Notice, m.scene.OtherJob = "", false
	if m.scene.Slow == 1 {
		return nil
	}
	m.scene.Slow = 1
	return m.hurryTicks(m.scene, "")
}

// attached says whether the terminal is attached.
type attached bool

// handleAttached slows the screen down while its terminal is detached. When the terminal is attached again, it gets a
// fresh frame at once.
func (m *model) handleAttached(there attached) tea.Cmd {
	if there {
		woken := m.noteUser()
		m.takeSnapshot()
		return woken
	}
	m.detached = true
	if m.scene.Recording == "" {
		m.Controls.Leave()
	}
	m.takeSnapshot()
	return nil
}

// key handles a key and redraws from the current Snapshot.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	classic, chosen, before := m.view.settings.Now.Classic, m.view.chosen, m.view.job
	did, taken := m.passMessage(msg)
	notice := m.scene.Notice
	if !taken {
		if after, known := m.reach(msg); known {
			return tea.Batch(did, after)
		}
		m.view.handleGlobalKey(msg, m.scene)
	}
	m.resolveScene()
	m.saveChoices(m.view, classic, chosen)
	if !m.view.hasProperty(keys.IsAside) {
		did = tea.Batch(did, m.fadeNotice(before, notice))
	}
	return tea.Batch(did, m.updateWants())
}

// handleRequest does what a page asks for.
func (m *model) handleRequest(msg tea.Msg) tea.Cmd {
	if k, is := msg.(tea.KeyPressMsg); is {
		return m.key(k)
	}
	did, _ := m.passMessage(msg)
	m.resolveScene()
	return tea.Batch(did, m.updateWants())
}

// passMessage passes a message to the current page, and carries out its answer.
func (m *model) passMessage(msg tea.Msg) (did tea.Cmd, taken bool) {
	page := m.view.shownPage(m.scene)
	a := m.view.passMessage(msg, m.scene)
	m.endRest(m.scene)
	m.scene.Notice = cmp.Or(a.Notice, m.scene.Notice)
	did = tea.Batch(m.runErrands(page, a), m.applySettings())
	for _, next := range a.Do {
		did = tea.Batch(did, m.handleRequest(next))
	}
	return did, a.Taken
}

func (o *Options) saveChoices(v *view, classic bool, chosen string) {
	if now := v.settings.Now.Classic; now != classic && o.RememberClassic != nil {
		o.RememberClassic(now)
	}
	if v.chosen != chosen && o.RememberView != nil {
		o.RememberView(v.chosen)
	}
}

// updateWants tells Controls which node is on the screen, or that all are, and asks the questions that the pages have
// now. If processes are now requested, ticks come faster for a while.
func (m *model) updateWants() tea.Cmd {
	if !m.notifyLook() || !m.told.processes {
		return m.askOn()
	}
	return tea.Batch(m.hurryTicks(m.scene, m.told.node), m.askOn())
}

// notifyLook calls Controls.ListJobs and Controls.Look if their arguments have changed. It reports whether those of
// Look have changed.
func (m *model) notifyLook() bool {
	if !m.past.Live() { // no request is made for the past
		return false
	}
	w := m.view.shownPage(m.scene).Wants(m.scene)
	if w.Jobs != m.lists {
		m.lists = w.Jobs
		m.Controls.ListJobs(w.Jobs)
	}
	var l lookArguments
	if m.scene.Job != nil {
		switch {
		case w.Everywhere:
			l = lookArguments{cluster.EveryNode, true}
		case w.Selected:
			l = lookArguments{m.view.nodes[m.view.job].name, w.Processes}
		}
	}
	if l == m.told {
		return false
	}
	m.told = l
	m.Controls.Look(l.node, l.processes)
	return true
}

// View implements tea.Model. Bubble Tea calls it after every message, although most messages change nothing. The result
// has no frame: package terminal writes frames.
func (m *model) View() tea.View {
	if m.dirty && m.scene.W > 0 && m.height > 0 {
		m.dirty = false
		m.paintFrame()
	}
	return m.viewModes()
}

// viewModes returns the window title and the mouse mode.
func (m *model) viewModes() tea.View {
	v := tea.View{WindowTitle: m.title, MouseMode: tea.MouseModeCellMotion}
	if m.view.noMouse {
		v.MouseMode = tea.MouseModeNone
	}
	return v
}

func (m *model) paintFrame() {
	defer m.restoreOnPanic()
	c := m.terminal.Blank(m.scene.W, m.height)
	m.title = header.Window(m.scene.Snap, m.scene.Job)
	f := &part.Frame{Canvas: c, Scene: m.scene}
	m.view.drawPage(f)
	if m.Tape != nil {
		place := m.Tape.Position()
		lookback.DrawTape(f, m.height-1, &place)
	}
	m.terminal.Show(m.theme, c, m.viewModes())
}

// restoreOnPanic restores the terminal before a panic reaches Bubble Tea, so that its report can be read.
func (m *model) restoreOnPanic() {
	if r := recover(); r != nil {
		m.terminal.Close()
		panic(r)
	}
}
