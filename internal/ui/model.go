package ui

import (
	"cmp"
	"io"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/tape"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
)

// fast is the redraw interval until every node has reported or failed (at most fastFirst), and for fastKey after a key
// that requested data.
const (
	fast      = 200 * time.Millisecond
	fastFirst = 15 * time.Second
	fastKey   = 1500 * time.Millisecond
)

// After IdleAfter without a key, the screen is drawn and its nodes are polled IdleFactor times less often, until the
// next key: nobody looks at most such screens. A detached terminal slows the screen at once. A recording keeps its
// pace.
const (
	IdleAfter  = 30 * time.Minute
	IdleFactor = 10
)

// tick asks for a new Snapshot. Only the latest chain of ticks counts: a key that requests something starts a new
// chain.
type tick struct{ chain int }

// model is the Bubble Tea model. It draws when something has changed, not whenever Bubble Tea asks, and writes its
// frames itself: see package terminal.
type model struct {
	Options
	view  *view
	scene *part.Scene // from the last Snapshot, with the selection resolved
	told  look
	past  lookback

	began, asked time.Time // start of the program, and time of the last key that requested something
	touched      time.Time // time of the last key
	touches      int       // number of keys so far
	detached     bool      // the terminal is detached, and no key was pressed since
	chain        int       // number of the current chain of ticks
	rested       int       // number of rests begun

	height   int // height of the terminal: a recording has a line below the scene
	light    bool
	theme    *draw.Theme
	terminal *terminal.Terminal
	dirty    bool
}

// look holds the arguments of the last call of Controls.Look.
type look struct {
	node      string
	processes bool
}

// newModel returns the model with its first Snapshot, for the output out.
func newModel(o Options, out io.Writer) *model {
	m := &model{Options: o, view: newView(&o), terminal: terminal.New(out)}
	m.scene = &part.Scene{ASCII: o.ASCII, Display: o.Display, Banner: o.Banner, Notice: o.Banner, Login: o.Login,
		ReadOnly: o.ReadOnly, Version: o.Version, Memory: &part.Memory{}}
	m.scene.Only, m.scene.Matching, m.scene.Replay = o.Only, o.Processes, o.Tape != nil
	m.began = o.Now()
	m.touched = m.began
	m.begin()
	m.retheme()
	m.takeSnapshot()
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.next() }

// next waits for the next display tick. Ticks are aligned with the clock, so that seconds change on time.
func (m *model) next() tea.Cmd {
	every, chain := m.Display*time.Duration(m.scene.Slow), m.chain
	if m.waiting() {
		every = min(every, fast)
	}
	return tea.Every(every, func(time.Time) tea.Msg { return tick{chain} })
}

// waiting reports whether the user is waiting: for the answer to a key, or for the first values of the job's nodes.
func (m *model) waiting() bool {
	now := m.Now()
	if now.Sub(m.asked) < fastKey {
		return true
	}
	if now.Sub(m.began) > fastFirst {
		return false
	}
	if m.scene.Job == nil {
		return true
	}
	return slices.ContainsFunc(m.scene.Job.Nodes, func(name string) bool {
		state := m.scene.NodeOf(name).State // a stale node has only old values: the demo starts with the past
		return state == cluster.NodeConnecting || state == cluster.NodeStale
	})
}

// takeSnapshot takes a new Snapshot.
func (m *model) takeSnapshot() {
	now := m.Now()
	m.past.keep(m.Snapshot(now))
	m.scene.Slow = 1
	m.noteRecording()
	if m.scene.Recording == "" && (m.detached || now.Sub(m.touched) >= IdleAfter) {
		m.scene.Slow = IdleFactor
	}
	m.show()
}

// noteRecording takes the state of the recording. If it ends while the terminal is detached, the pace slows down.
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

// resolve settles the selection and marks the frame for redrawing.
func (m *model) resolve() {
	m.view.resolve(m.scene)
	m.dirty = true
}

func (m *model) retheme() {
	if draw.AsksTerminal(m.Theme) && !m.ASCII { // an ASCII terminal does not understand the question
		m.terminal.Ask()
	}
	m.theme = draw.Named(m.Theme, m.Profile, m.light, m.ASCII)
	m.terminal.Forget()
	m.dirty = true
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.rescue()
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
		return m, m.next()
	case tea.KeyPressMsg:
		return m, tea.Batch(m.touch(), m.key(msg))
	case uv.UnknownCsiEvent:
		m.terminal.Answered(string(msg))
	case attached:
		return m, m.attend(msg)
	case tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		woken := m.touch()
		if did, taken := m.press(msg); taken {
			m.resolve()
			return m, tea.Batch(woken, did, m.look())
		}
		return m, woken
	case told:
		if m.scene.Node == nil { // the last job has ended meanwhile: nothing is left to draw the result on
			return m, nil
		}
		did := m.errands(msg.page, msg.page.Press(msg.result, m.scene))
		m.resolve()
		return m, did
	case still:
		return m, m.settled(msg)
	case faded:
		if msg.touches == m.touches {
			m.scene.Notice, m.scene.OtherJob, m.dirty = "", false, true
		}
	case switched:
		m.scene.Notice = msg.said
		m.takeSnapshot()
	case settings.Saved:
		m.view.settings.Told(msg)
		m.dirty = true
		return m, m.write()
	default:
		m.adapt(msg)
	}
	return m, nil
}

// adapt takes the size and the colors of the terminal.
func (m *model) adapt(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.height = msg.Height
		if m.Tape != nil {
			msg.Height--
		}
		m.scene.Resize(msg.Width, msg.Height)
		m.resolve()
	case tea.BackgroundColorMsg:
		m.light = !msg.IsDark()
		m.retheme()
	case tea.ColorProfileMsg:
		if m.Profile != msg.Profile {
			m.Profile = msg.Profile
			m.retheme()
		}
	}
}

// touch notes the user's presence, and hurries if the screen was idle.
func (m *model) touch() tea.Cmd {
	m.Controls.Touch()
	m.touched, m.detached = m.Now(), false
	m.touches++
	m.dirty = m.dirty || m.scene.Notice != "" || m.scene.OtherJob
	m.scene.Notice, m.scene.OtherJob = "", false
	if m.scene.Slow == 1 {
		return nil
	}
	m.scene.Slow = 1
	return m.hurry()
}

// attached says whether the terminal was attached or detached.
type attached bool

// attend slows the screen down while its terminal is detached. When it is attached again, a fresh frame comes at once.
func (m *model) attend(there attached) tea.Cmd {
	if there {
		woken := m.touch()
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
	classic, chosen, refresh, before := m.view.classic, m.view.chosen, false, m.view.job
	did, taken := m.press(msg)
	notice := m.scene.Notice
	if !taken {
		if key.Matches(msg, keys.Interrupt) || key.Matches(msg, keys.Quit) && !m.view.help {
			return m.terminal.Hush(tea.Quit) // after the terminal has answered, or has not in time
		}
		if key.Matches(msg, keys.Repaint) {
			m.terminal.Forget()
		}
		if m.turn(msg) || m.lookBack(msg) {
			return did
		}
		if key.Matches(msg, keys.Record) {
			return tea.Batch(did, m.record())
		}
		if refresh = key.Matches(msg, keys.Refresh) && !m.view.help; refresh {
			m.Controls.Refresh()
		}
		m.view.apply(msg, m.scene)
	}
	m.resolve()
	m.remember(classic, chosen)
	if !m.view.has(keys.IsAside) {
		did = tea.Batch(did, m.fades(before, notice))
	}
	if refresh {
		m.notifyLook()
		return tea.Batch(did, m.hurry())
	}
	return tea.Batch(did, m.look())
}

// press passes a message to the current page, and carries out its answer.
func (m *model) press(msg tea.Msg) (did tea.Cmd, taken bool) {
	page := m.view.page(m.scene)
	a := m.view.press(msg, m.scene)
	m.stir()
	m.scene.Notice = cmp.Or(a.Notice, m.scene.Notice)
	did = tea.Batch(m.errands(page, a), m.settle())
	for _, k := range a.Press {
		did = tea.Batch(did, m.key(k))
	}
	return did, a.Taken
}

// remember saves the choices that have changed.
func (m *model) remember(classic bool, chosen string) {
	if m.Remember == nil {
		return
	}
	if m.view.classic != classic {
		m.Remember(RememberColors, map[bool]string{false: ColorsJob, true: ColorsClassic}[m.view.classic])
	}
	if m.view.chosen != chosen {
		m.Remember(RememberView, m.view.chosen)
	}
}

// look tells Controls which node is on the screen, or that all are. If this asks for processes, ticks come faster for a
// while.
func (m *model) look() tea.Cmd {
	if !m.notifyLook() || !m.told.processes {
		return nil
	}
	return m.hurry()
}

// hurry starts a new, fast chain of ticks, so that the screen soon shows the answer to a request.
func (m *model) hurry() tea.Cmd {
	m.asked = m.Now()
	m.chain++
	return m.next()
}

// notifyLook calls Controls.Look if its arguments have changed, and reports whether they have.
func (m *model) notifyLook() bool {
	if m.past.at != nil { // nobody is asked for the past
		return false
	}
	var l look
	if m.scene.Job != nil {
		switch w := m.view.body().Wants(m.scene); {
		case w.Everywhere:
			l = look{cluster.EveryNode, true}
		case w.Selected:
			l = look{m.view.nodes[m.view.job].name, w.Processes}
		}
	}
	if l == m.told {
		return false
	}
	m.told = l
	m.Controls.Look(l.node, l.processes)
	return true
}

// View implements tea.Model. Bubble Tea calls it after every message, but most messages change nothing. The result has
// no frame (package terminal).
func (m *model) View() tea.View {
	if m.dirty && m.scene.W > 0 && m.height > 0 {
		m.dirty = false
		m.paint()
	}
	return m.modes()
}

// modes returns the window title and the mouse mode.
func (m *model) modes() tea.View {
	v := tea.View{WindowTitle: title(m.scene.Job), MouseMode: tea.MouseModeCellMotion}
	if m.view.noMouse {
		v.MouseMode = tea.MouseModeNone
	}
	return v
}

func (m *model) paint() {
	defer m.rescue()
	c := m.terminal.Blank(m.scene.W, m.height)
	f := &part.Frame{Canvas: c, Scene: m.scene}
	m.view.draw(f)
	if m.Tape != nil {
		place := m.Tape.Position()
		tape.Draw(f, m.height-1, &place)
	}
	m.terminal.Show(m.theme, c, m.modes())
}

// rescue restores the terminal before a panic reaches Bubble Tea, so that its report can be read.
func (m *model) rescue() {
	if r := recover(); r != nil {
		m.terminal.Close()
		panic(r)
	}
}
