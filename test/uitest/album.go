package uitest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Page is a page of the screen.
type Page interface {
	Draw(f *part.Frame)
	Press(msg tea.Msg, s *part.Scene) nav.Answer
	Wants(s *part.Scene) nav.Wants
}

// Optional methods of a page, as the screen calls them.
type (
	settler interface{ Settle(s *part.Scene) }
	covered interface{ OnTop() keys.Page }
)

// Album has the shots of one page.
type Album[P Page] struct {
	ID     keys.Page
	Number key.Binding // leads to the page; none: no digit does
	Aside  bool        // the page is about no single job
	Out    string      // where Esc leads
	New    func() P
	Shots  []Shot[P]
}

// Shot is a page with a Snapshot, after some keys.
type Shot[P Page] struct {
	Name string
	Dark bool // the golden frames show its colors, too
	Odd  bool // there is no golden frame
	Snap func() *cluster.Snapshot

	Job  string // ID of the selected job; "": the first
	Node string // the selected node; "": the first
	Look part.Look
	Mine bool
	Out  string // where Esc leads; "": as in the album

	Begin func(p P, s *part.Scene)
	Typed string                   // then these keys are pressed; "\r" is Enter, "\t" Tab, "\v" Shift-↓
	Told  func(nav.Ask) nav.Result // the answers to what they ask
	Later func(st *Stage[P])
}

// Stage shows a page without the rest of the screen.
type Stage[P Page] struct {
	Page  P
	Scene *part.Scene

	album     *Album[P]
	shot      *Shot[P]
	job, node string
}

// Show is what a shot shows in a terminal of this size.
func (a *Album[P]) Show(shot *Shot[P], w, h int) *Stage[P] {
	st := &Stage[P]{Page: a.New(), album: a, shot: shot, job: shot.Job, node: shot.Node,
		Scene: &part.Scene{Snap: shot.Snap(), Look: shot.Look, Display: time.Second, Version: "nvnodetop 0.1.0",
			Memory: &part.Memory{}}}
	st.Scene.Resize(w, h)
	st.Settle()
	if shot.Begin != nil {
		shot.Begin(st.Page, st.Scene)
		st.Settle()
	}
	st.Type(shot.Typed)
	if shot.Later != nil {
		shot.Later(st)
		st.Settle()
	}
	return st
}

// Settle selects the job and the node, and lets the page settle for the Snapshot, as the screen does.
func (st *Stage[P]) Settle() {
	s := st.Scene
	s.Mine, s.Out = st.shot.Mine, st.out()
	s.Job, s.Node = nil, nil
	if len(s.Snap.Jobs) == 0 {
		return
	}
	s.SetJob(max(slices.IndexFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == st.job }), 0))
	if order := st.Page.Wants(s).Order; order != nil {
		s.Order = order
	}
	nodes := s.Job.Nodes
	at := max(slices.Index(nodes, st.node), 0)
	for i := range nodes {
		if next := (at + i) % len(nodes); slices.Contains(s.Order, nodes[next]) {
			at = next
			break
		}
	}
	st.node = nodes[at]
	s.SetNode(at)
	if p, is := any(st.Page).(settler); is {
		p.Settle(s)
	}
}

// out is where Esc leads.
func (st *Stage[P]) out() string {
	if p, is := any(st.Page).(covered); is && p.OnTop() != st.album.ID {
		return keys.Back.Help().Desc
	}
	if st.shot.Out != "" {
		return st.shot.Out
	}
	return st.album.Out
}

// Type presses keys.
func (st *Stage[P]) Type(typed string) {
	for _, r := range typed {
		msg := tea.KeyPressMsg{Code: r, Text: string(r)}
		switch r {
		case '\r':
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case '\t':
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		case '\v':
			msg = tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModShift}
		}
		st.Press(msg)
	}
}

// Press presses a key that belongs to the page.
func (st *Stage[P]) Press(msg tea.KeyPressMsg) {
	a := st.Page.Press(msg, st.Scene)
	if !a.Taken || a.Page != "" {
		panic(fmt.Sprintf("%s: %q leads away from the page", st.shot.Name, msg))
	}
	st.follow(a)
	st.Scene.Still = a.Still
	st.Settle()
	for _, ask := range a.Ask {
		if st.shot.Told != nil {
			st.follow(st.Page.Press(st.shot.Told(ask), st.Scene))
			st.Settle()
		}
	}
}

// follow selects what the page has selected.
func (st *Stage[P]) follow(a nav.Answer) {
	if a.Job != "" {
		st.job = a.Job
	}
	if a.Node != "" {
		st.node = a.Node
	}
}

// Draw draws the page, and the bar of pages.
func (st *Stage[P]) Draw(c *draw.Canvas) {
	f := &part.Frame{Canvas: c, Scene: st.Scene}
	f.Memory.Footer.Forget()
	st.Page.Draw(f)
	if !f.WithBar {
		return
	}
	current := keys.HintOf(st.album.Number)
	if st.Scene.Job == nil && !st.album.Aside {
		current = keys.Hint{}
	}
	f.Insert(header.BarRow)
	header.Bar(f, current)
}

// Pictures returns the pictures of the shots.
func (a *Album[P]) Pictures() []Picture {
	var pictures []Picture
	for i := range a.Shots {
		shot := a.Shots[i]
		if make := shot.Snap; make != nil { // once: a large one takes longer than drawing it
			snap := make()
			shot.Snap = func() *cluster.Snapshot { return snap }
		}
		picture := a.picture(shot)
		if shot.Look != (part.Look{}) {
			shot.Look = part.Look{}
			without := a.picture(shot)
			picture.WithoutLook = &without
		}
		pictures = append(pictures, picture)
	}
	return pictures
}

func (a *Album[P]) picture(shot Shot[P]) Picture {
	return Picture{Name: shot.Name, Dark: shot.Dark, Odd: shot.Odd,
		Take: func(w, h int, ascii bool) *draw.Canvas {
			st, c := a.Show(&shot, w, h), draw.New(w, h)
			st.Scene.ASCII = ascii
			st.Draw(c)
			return c
		}}
}

// CheckUnchanged draws each shot twice. To draw changes neither the page nor the scene, and the same scene always gives
// the same picture.
func (a *Album[P]) CheckUnchanged(t *testing.T) {
	for i := range a.Shots {
		shot := a.Shots[i]
		snap := shot.Snap()
		shot.Snap = func() *cluster.Snapshot { return snap }
		t.Run(shot.Name, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{80, 24}, {200, 50}} {
				w, h := size[0], size[1]
				st, same := a.Show(&shot, w, h), a.Show(&shot, w, h)
				var pictures [2]string
				for i := range pictures {
					c := draw.New(w, h)
					st.Draw(c)
					pictures[i] = string(DarkTheme.Encode(nil, c))
				}
				if pictures[0] != pictures[1] {
					t.Error("the second picture differs from the first")
				}
				DiffPages(t, same.Page, st.Page)
				DiffScenes(t, same.Scene, st.Scene)
			}
		})
	}
}
