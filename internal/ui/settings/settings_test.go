package settings

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// press presses keys; the cursor begins on a row.
func press(p *Page, on row, typed string) {
	s := &part.Scene{Size: part.Size{W: 80, H: 24}}
	p.cursor.GoTo(p.cursorList(s), slices.Index(p.listRows(), on))
	for k := range strings.FieldsSeq(typed) {
		p.Press(keys.Pressed(k), s)
	}
}

var usual = Choices{Theme: draw.Auto, View: "auto",
	Look: part.Look{Colors: part.Colors{Levels: part.Levels{60, 85}, MemoryLevels: part.Levels{60, 85}}}}

func node(name string) row { return row{column, rows.NodeTable, name} }

// Each key has its effect on each row.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		on   row
		keys string
		want func(*Choices)
	}{
		{row{name: "Theme"}, "right", func(c *Choices) { c.Theme = draw.Dark }},
		{row{name: "Theme"}, "left", func(c *Choices) { c.Theme = draw.Mono }},
		{row{name: "Theme"}, "space enter right backspace", func(*Choices) {}},
		{row{name: "Yellow from"}, "down space", func(c *Choices) { c.Levels[1] = 90 }},
		{row{name: "Colors"}, "left", func(c *Choices) { c.Classic = true }},
		{row{name: "Colors"}, "left backspace", func(*Choices) {}},
		{row{name: "Start page"}, "right right", func(c *Choices) { c.View = "overview" }},
		{row{name: "Yellow from"}, "right", func(c *Choices) { c.Levels[0] = 65 }},
		{row{name: "Yellow from"}, "right right right right right right", func(c *Choices) { c.Levels[0] = 80 }},
		{row{name: "Red from"}, "left left", func(c *Choices) { c.Levels[1] = 75 }},
		{row{name: "Red from"}, "right right right right", func(c *Choices) { c.Levels[1] = 95 }},
		{row{name: "Red from"}, "left backspace", func(*Choices) {}},
		{row{name: "Memory red from"}, "right", func(c *Choices) { c.MemoryLevels[1] = 90 }},
		{row{name: "Memory yellow from"}, "right left left left", func(c *Choices) { c.MemoryLevels[0] = 50 }},
		{row{name: "Memory yellow from"}, "right backspace", func(*Choices) {}},
		{node("rank"), "space", func(c *Choices) {
			c.Columns.Node = "gpu,gpu_name,temperature_celsius,util_bar,util_percent," +
				"memory_bar,memory_used_bytes,power_watts,clocks,mem_util_percent,history,flags"
		}},
		{node("rank"), "space space", func(c *Choices) {
			c.Columns.Node = "gpu,gpu_name,temperature_celsius,util_bar,util_percent," +
				"memory_bar,memory_used_bytes,power_watts,clocks,mem_util_percent,history,flags,rank"
		}},
		{node("rank"), "shift+down", func(c *Choices) {
			c.Columns.Node = "gpu,gpu_name,rank,temperature_celsius,util_bar,util_percent," +
				"memory_bar,memory_used_bytes,power_watts,clocks,mem_util_percent,history,flags"
		}},
		{node("rank"), "shift+down shift+up", func(*Choices) {}},
		{node("rank"), "shift+up", func(*Choices) {}}, // the number of the GPU is first
		{node("gpu"), "space", func(*Choices) {}},
		{node("gpu"), "shift+down", func(*Choices) {}},
		{node("flags"), "shift+down", func(*Choices) {}},
		{node(""), "space shift+up shift+down", func(*Choices) {}},
		{node("rank"), "space backspace", func(*Choices) {}},
		{row{column, rows.OverviewTable, "health"}, "shift+up shift+up space",
			func(c *Choices) {
				c.Columns.Overview = "node,gpus,util_mean_percent,history," +
					"memory_bar,memory_used_sum_bytes,power_sum_watts,temperature_highest_celsius"
			}},
		{row{column, rows.ProcessTable, "gpu"}, "space", func(c *Choices) {
			c.Columns.Processes = "pid,type,user,rank,gpu_memory_bytes,sm_percent," +
				"mem_util_percent,cpu_percent,host_memory_percent,elapsed_seconds,state,threads,command"
		}},
	} {
		var p Page
		p.Begin(usual)
		press(&p, test.on, test.keys)
		want := usual
		test.want(&want)
		if p.Now != want {
			t.Errorf("%+v %s: %+v\nwant %+v", test.on, test.keys, p.Now, want)
		}
		if test.on.what == column && test.keys != "space backspace" && p.cursor.On() != test.on {
			t.Errorf("%+v %s: the cursor is on %+v", test.on, test.keys, p.cursor.On())
		}
	}
}

// Each choice has a row that changes it and one that resets it; and a change is written.
func TestEveryChoiceHasARow(t *testing.T) {
	var start Choices
	all := (&Page{}).allRows()
	for _, r := range all {
		start.resetRow(r)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Choices]()) {
		if field.Anonymous {
			continue // its fields follow
		}
		is := func(c Choices) any { return reflect.ValueOf(c).FieldByIndex(field.Index).Interface() }
		moved, reset, written := false, false, 0
		for _, r := range all {
			c := start
			if c.nextValue(r, +1); is(c) == is(start) {
				continue
			}
			moved, written = true, len(c.Changed(&start))
			c.resetRow(r)
			reset = reset || is(c) == is(start)
		}
		if !moved || !reset || written != 1 {
			t.Errorf("settings.Choices.%s: the page changes it: %v, resets it: %v, writes %d settings for it, want "+
				"one: it needs a row of its own in simple (table.go)", field.Name, moved, reset, written)
		}
	}
}

// A row changes the setting that it names, and no two rows have one title.
func TestRowsAreApart(t *testing.T) {
	for i, s := range simple {
		c := usual
		if s.move(&c, +1); !slices.Equal(c.Changed(&usual), []string{s.key}) || s.text(&c) == s.text(&usual) {
			t.Errorf("the row %q (table.go) changes %q from %s to %s, want %s alone: it has the field or the key of "+
				"another row", s.title, c.Changed(&usual), s.text(&usual), s.text(&c), s.key)
		}
		if first := slices.IndexFunc(simple, func(r setting) bool { return r.title == s.title }); first != i {
			t.Errorf("two rows (table.go) have the title %q: the second cannot be chosen", s.title)
		}
	}
}

// The texts of each setting fit their places in a terminal of 80 columns; a longer one would be cut.
func TestTextsFit(t *testing.T) {
	fit := func(row, text string, begin, end int) {
		t.Helper()
		if room := end - begin - 1; draw.Width(text) > room {
			t.Errorf("the row %q (table.go) has the text %q of %d columns; a terminal of 80 has room for %d: say it "+
				"in fewer words", row, text, draw.Width(text), room)
		}
	}
	for _, s := range simple {
		fit(s.title, s.title, label, valueAt)
		fit(s.title, s.about, aboutAt, 80)
		for c, n := usual, 0; n < 20; n++ { // more than the values of each
			fit(s.title, s.text(&c), valueAt, aboutAt)
			s.move(&c, +1)
		}
	}
}

// The last column stays.
func TestTheLastColumnStays(t *testing.T) {
	var p Page
	p.Begin(Choices{Look: part.Look{Columns: rows.ChosenColumns{Processes: "pid"}}})
	press(&p, row{column, rows.ProcessTable, "pid"}, "space")
	if p.Now.Columns.Processes != "pid" {
		t.Errorf("left are %q", p.Now.Columns.Processes)
	}
}

// Nothing is written unless the user asks; then only what has changed since it was written last.
func TestWriting(t *testing.T) {
	var p Page
	p.Begin(usual)
	press(&p, row{name: "Theme"}, "right")
	if _, changed := p.Unwritten(); changed != nil {
		t.Error("written without being asked")
	}
	for _, k := range []string{"ctrl+s", "f12"} {
		press(&p, row{name: "Theme"}, k)
		wanted, changed := p.Unwritten()
		if wanted != p.Now || !slices.Equal(changed, []string{"theme"}) {
			t.Errorf("%s: %+v, %q", k, wanted, changed)
		}
		if _, again := p.Unwritten(); again != nil {
			t.Errorf("%s: written twice", k)
		}
		p.Told(Saved{Choices: p.Now, Path: "/x", Err: errors.New("disk full")})
	}
	if text, role := p.statusText(); text != "not written: disk full" || role != draw.Crit {
		t.Errorf("%q", text)
	}
	press(&p, row{name: "Theme"}, "ctrl+s")
	if _, changed := p.Unwritten(); len(changed) != 1 {
		t.Errorf("after a failure %q are written", changed)
	}
	p.Told(Saved{Choices: p.Now, Path: "/x"})
	if text, _ := p.statusText(); text != "written to /x" {
		t.Errorf("%q", text)
	}
	press(&p, row{name: "Colors"}, "right")
	if text, _ := p.statusText(); !strings.HasPrefix(text, "1 change for this run only") {
		t.Errorf("%q", text)
	}
	press(&p, row{name: "Colors"}, "ctrl+s")
	if _, changed := p.Unwritten(); !slices.Equal(changed, []string{"colors"}) {
		t.Errorf("%q are written", changed)
	}
}

// A search shows only the lines with all its words, with their titles; Esc shows all again. Without a line no key
// changes anything.
func TestSearch(t *testing.T) {
	p, s := &Page{News: []News{{Way: "terminal"}}}, &part.Scene{Size: part.Size{W: 80, H: 24}}
	p.Begin(usual)
	all := len(p.listRows())
	typed := func(text string) {
		for _, r := range text {
			p.Press(tea.KeyPressMsg{Code: r, Text: strings.Trim(string(r), "\r\x1b")}, s) // their codes are the characters
		}
	}
	for _, test := range []struct {
		typed string
		want  []row
	}{
		{"/THEME\r", []row{{name: "Theme"}}},
		{"/classic memory\r", []row{{name: "Memory yellow from"}, {name: "Memory red from"}}},
		{"/terminal", []row{{name: "Theme"}, {what: news}, {what: news, name: "terminal"}}},
		{"/notifications\r", []row{{what: news}, {what: news, name: "terminal"}}},
		{"/zzz\r", nil},
		{"/columns of the users elapsed\r", []row{{what: column, table: rows.UserTable},
			{column, rows.UserTable, "elapsed_seconds"}}},
	} {
		typed(test.typed)
		if got := p.listRows(); !slices.Equal(got, test.want) {
			t.Errorf("%q shows %v, want %v", test.typed, got, test.want)
		}
		if len(test.want) == 0 {
			typed("\r ")
			p.Press(keys.Pressed("backspace"), s)
			if p.Now != usual {
				t.Errorf("a key changes %v where there is nothing", p.Now.Changed(&usual))
			}
		}
		if typed("\x1b"); len(p.listRows()) != all || p.search.Typing() {
			t.Errorf("after Esc %d lines are shown", len(p.listRows()))
		}
	}
	if p.Press(keys.Pressed("esc"), s).Taken {
		t.Error("without a search Esc does not lead back")
	}
}
