package ui

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Controls is what a person can ask for through the screen. No method blocks but Ask.
type Controls interface {
	Touch()                           // a key was pressed: somebody is looking
	Refresh()                         // ask SLURM now, and try the nodes that failed now
	Look(node string, processes bool) // the node on the screen and whether its processes are; "" for no single node

	// Ask asks the probe of a node for something and waits for its answer.
	Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error)
}

// Options are what the screen needs to know. Snapshot, Now, Controls, Poll and Display are required.
type Options struct {
	Snapshot func(now time.Time) *cluster.Snapshot // what is known, with ages for now; called at each display tick
	Now      func() time.Time
	Controls Controls

	Poll, Display time.Duration

	Theme    string               // "dark", "light"; else what the terminal answers, dark when it does not
	ASCII    bool                 // ASCII glyphs only
	Profile  colorprofile.Profile // colours that the terminal can show; Unknown: find out
	Colors   string               // "classic" paints the level of utilisation; else colour means trouble
	Version  string
	Remember func(colors string) // a person changed Colors; may be nil
}

// The values of Options.Colors.
const (
	ColorsJob     = "job"
	ColorsClassic = "classic"
)

// hurry is the display interval while a person waits for something: for the first numbers, at most hurryFirst, or for what a key has
// asked for, for hurryKey.
const (
	hurry      = 200 * time.Millisecond
	hurryFirst = 15 * time.Second
	hurryKey   = 1500 * time.Millisecond
)

// tick asks for a new Snapshot. Only the latest chain of ticks counts: a key that has asked for something begins a new one.
type tick struct{ chain int }

// model is the Bubble Tea model. It draws when something changed, not whenever Bubble Tea asks, and it writes its frames itself: see
// terminal.
type model struct {
	Options
	view   *view
	snap   *cluster.Snapshot
	looked look

	began, asked time.Time // the program, and the last key that asked for something
	chain        int       // of ticks

	width, height int
	light         bool
	theme         *draw.Theme
	terminal      *terminal
	scratch       scratch
	dirty         bool
}

// look is what was last told to Controls.Look.
type look struct {
	node      string
	processes bool
}

// newModel returns the model with its first Snapshot. It writes to out.
func newModel(o Options, out io.Writer) *model {
	known := o.Theme == "dark" || o.Theme == "light" || o.ASCII // terminals that know no more than ASCII do not know the question either
	m := &model{Options: o, view: newView(o.Colors == ColorsClassic), light: o.Theme == "light", terminal: newTerminal(out, !known)}
	m.began = o.Now()
	m.retheme()
	m.pull()
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.next() }

// next waits for the next display tick, which is on a whole interval of the clock: seconds then change when they should.
func (m *model) next() tea.Cmd {
	every, chain := m.Display, m.chain
	if m.waiting() {
		every = min(every, hurry)
	}
	return tea.Every(every, func(time.Time) tea.Msg { return tick{chain} })
}

// waiting says that a person waits: a key has just asked for something, or no node has ever shown numbers.
func (m *model) waiting() bool {
	now := m.Now()
	if now.Sub(m.asked) < hurryKey {
		return true
	}
	if now.Sub(m.began) > hurryFirst {
		return false
	}
	for _, n := range m.snap.Nodes {
		if hasNumbers(n) {
			return false
		}
	}
	return true
}

// pull takes a new Snapshot.
func (m *model) pull() {
	m.snap = m.Snapshot(m.Now())
	m.dirty = true
}

func (m *model) retheme() {
	m.theme = draw.NewTheme(m.Profile, m.light, m.ASCII)
	m.terminal.forget()
	m.dirty = true
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.rescue()
	if m.terminal.failure() != nil {
		return m, tea.Quit
	}
	switch msg := msg.(type) {
	case tick:
		if msg.chain != m.chain {
			return m, nil
		}
		m.pull()
		m.tell()
		return m, m.next()
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.WindowSizeMsg:
		m.width, m.height, m.dirty = msg.Width, msg.Height, true
	case tea.BackgroundColorMsg:
		m.light = !msg.IsDark()
		m.retheme()
	case tea.ColorProfileMsg:
		if m.Profile != msg.Profile {
			m.Profile = msg.Profile
			m.retheme()
		}
	}
	return m, nil
}

// key does what a key stands for and draws again from the Snapshot at hand.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	m.Controls.Touch()
	a := keys[msg.String()]
	refresh := a == actRefresh && !m.view.help
	switch {
	case a == actQuit:
		return tea.Quit
	case a == actRepaint:
		m.terminal.forget()
	case refresh:
		m.Controls.Refresh()
	}
	classic := m.view.classic
	m.view.do(a, m.snap, m.width, m.height)
	if m.view.classic != classic && m.Remember != nil {
		m.Remember(m.colors())
	}
	m.dirty = true
	if told := m.tell(); !told && !refresh {
		return nil
	}
	m.asked = m.Now()
	m.chain++
	return m.next()
}

func (m *model) colors() string {
	if m.view.classic {
		return ColorsClassic
	}
	return ColorsJob
}

// tell says which node is looked at, and returns true, when that has changed.
func (m *model) tell() bool {
	var l look
	if m.view.settle(m.snap) >= 0 && m.view.screen == screenNode {
		l = look{m.view.node[m.view.job], m.view.processes}
	}
	if l == m.looked {
		return false
	}
	m.looked = l
	m.Controls.Look(l.node, l.processes)
	return true
}

// View implements tea.Model. Bubble Tea calls it after every message; most change nothing. What it returns has no frame: see terminal.
func (m *model) View() tea.View {
	if m.dirty && m.width > 0 && m.height > 0 {
		m.dirty = false
		m.paint()
	}
	return m.modes()
}

// modes is how the terminal is to be around the frame.
func (m *model) modes() tea.View {
	var job *cluster.JobView
	if at := m.view.settle(m.snap); at >= 0 {
		job = &m.snap.Jobs[at]
	}
	return tea.View{WindowTitle: title(job, m.ASCII)}
}

func (m *model) paint() {
	defer m.rescue()
	c := m.terminal.canvas(m.width, m.height)
	render(c, scene{snap: m.snap, view: m.view, poll: m.Poll, display: m.Display, version: m.Version}, &m.scratch)
	m.terminal.show(m.theme, c, m.modes())
}

// rescue gives the terminal back before a panic goes on to Bubble Tea, which tells of it: its words are then seen.
func (m *model) rescue() {
	if r := recover(); r != nil {
		m.terminal.close()
		panic(r)
	}
}
