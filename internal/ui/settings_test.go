package ui

import (
	"errors"
	"image/color"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/internal/ui/terminal"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var (
	f2  = tea.KeyPressMsg{Code: tea.KeyF2}
	f12 = tea.KeyPressMsg{Code: tea.KeyF12}
)

// Changes on the page of settings take effect at once, on every page, with a job and without one.
func TestSettingsTakeEffect(t *testing.T) {
	for name, snap := range map[string]*cluster.Snapshot{"with a job": uitest.Fixture(), "without": uitest.NoJobsFixture()} {
		r := newRig(t, snap)
		r.send(f2)
		if !strings.Contains(r.text(), "Settings") || !strings.Contains(r.text(), "Theme") {
			t.Fatalf("%s: F2 shows\n%s", name, r.text())
		}
		before := r.theme
		r.press("right")
		r.view.goToSetting("Colors")
		r.press("right")
		if r.Theme != draw.Light || r.theme == before || !r.view.settings.Now.Classic || !r.scene.Classic {
			t.Errorf("%s: theme %s, classic %v", name, r.Theme, r.view.settings.Now.Classic)
		}
		if want := []string{"classic true"}; !slices.Equal(r.remembered, want) {
			t.Errorf("%s: remembered %v, want %v, as C does", name, r.remembered, want)
		}
		r.press("C")
		if r.view.settings.Now.Classic {
			t.Errorf("%s: C does not change the page", name)
		}
		r.press("end", "left")
		if !strings.HasSuffix(string(r.scene.Columns.Users), ",elapsed_seconds,job") {
			t.Errorf("%s: the users have the columns %q", name, r.scene.Columns.Users)
		}
		if r.press("?"); !r.view.palette.IsOpen() || !strings.Contains(r.text(), "reset to default") {
			t.Errorf("%s: ? shows\n%s", name, r.text())
		}
		r.press("esc", "esc")
		if r.view.on != keys.OnNode {
			t.Errorf("%s: Esc leads to screen %s", name, r.view.on)
		}
	}
}

// Nothing is written unless the user asks for it, and the page says where it is written.
func TestSettingsAreWrittenWhenAsked(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	var written [][]string
	var fails error
	r.Save = func(c settings.Choices, keys []string) (string, error) {
		written = append(written, append(keys, c.Theme))
		return "/home/alice/config.toml", fails
	}
	do := func(cmd tea.Cmd) {
		for _, saved := range saves(cmd) {
			r.send(saved)
		}
	}
	r.send(f2)
	do(r.send(f12))
	if len(written) != 0 {
		t.Fatalf("nothing has changed, and %q was written", written)
	}
	r.press("left")
	if !strings.Contains(r.text(), "1 change for this run only") {
		t.Errorf("the page does not say what is not written:\n%s", r.text())
	}
	fails = errors.New("no space left on device")
	do(r.press("ctrl+s"))
	if !strings.Contains(r.text(), "not written: no space left on device") {
		t.Errorf("the page does not say why:\n%s", r.text())
	}
	fails = nil
	do(r.send(f12))
	if !strings.Contains(r.text(), "written to /home/alice/config.toml") {
		t.Errorf("the page does not say where:\n%s", r.text())
	}
	do(r.send(f12))
	if want := []string{"theme", draw.Auto}; len(written) != 2 || !slices.Equal(written[1], want) {
		t.Errorf("written was %q, want twice %q", written, want)
	}
}

// A write that waits for another write follows it, with the values of the moment when the key was pressed, even if
// these were there first.
func TestSettingsAreWrittenInTurn(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	var written []string
	r.Save = func(c settings.Choices, keys []string) (string, error) {
		written = append(written, strings.Join(keys, ",")+" "+c.Theme)
		return "/x", nil
	}
	r.send(f2)
	first := r.Theme
	r.press("right")
	second := r.Theme
	one := r.press("ctrl+s")
	r.press("left")
	two := r.press("ctrl+s")
	r.press("right", "right")
	told := saves(one)
	if more := saves(two); len(told) != 1 || len(more) != 0 {
		t.Fatalf("at once %d and %d are written", len(told), len(more))
	}
	if told = saves(r.send(told[0])); len(told) != 1 || len(saves(r.send(told[0]))) != 0 {
		t.Errorf("then %d are written", len(told))
	}
	if want := []string{"theme " + second, "theme " + first}; !slices.Equal(written, want) {
		t.Errorf("written was %q, want %q", written, want)
	}
	if !strings.Contains(r.text(), "1 change for this run only") {
		t.Errorf("the page does not say what is not written:\n%s", r.text())
	}
}

// The page of settings says which news is on, and sends a test message in a way when the user asks for it, there or
// from the palette; one at a time.
func TestNewsIsTried(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	var tried []string
	r.TryNews = func(way string) error {
		if tried = append(tried, way); way == "webhook" {
			return errors.New("it answers 404")
		}
		return nil
	}
	r.send(Alert{Ways: []settings.News{{Way: "terminal", On: true}, {Way: "webhook"}, {Way: "mail", Not: "no sendmail"}}})
	r.send(f2)
	r.view.goToSetting(settings.NewsTitle)
	one := r.press("down", "right")
	if two := tries(r.press("right")); len(two) != 0 || !strings.Contains(r.text(), "sending a test message by terminal") {
		t.Fatalf("%d at once\n%s", len(two), r.text())
	}
	r.send(tries(one)[0])
	if !strings.Contains(r.text(), "a test message was sent by terminal") {
		t.Errorf("%s", r.text())
	}
	done := tries(r.press("down", "right"))
	r.send(done[0])
	if !strings.Contains(r.text(), "no message by webhook: it answers 404") {
		t.Errorf("%s", r.text())
	}
	if done = tries(r.press("down", "right")); len(done) != 0 || !strings.Contains(r.text(), "no message by mail: no sendmail") {
		t.Errorf("%s", r.text())
	}
	r.press("esc", ":")
	for _, k := range "message by term" {
		r.press(string(k))
	}
	if done = tries(r.press("enter")); len(done) != 1 || !slices.Equal(tried, []string{"terminal", "webhook", "terminal"}) {
		t.Errorf("tried %q\n%s", tried, r.text())
	}
}

// tries does what a command does, and returns the results of test messages.
func tries(cmd tea.Cmd) (done []settings.Tried) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			done = append(done, tries(c)...)
		}
	case settings.Tried:
		done = append(done, msg)
	}
	return done
}

// saves does what a command does, and returns what has been written.
func saves(cmd tea.Cmd) (done []settings.Saved) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			done = append(done, saves(c)...)
		}
	case settings.Saved:
		done = append(done, msg)
	}
	return done
}

// A theme that goes by the terminal's background asks for it when it is chosen first, also on the page of settings, and
// never again.
func TestThemesAskForTheBackground(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	asked := func(keys ...tea.KeyPressMsg) bool {
		for _, k := range keys {
			r.Update(k)
		}
		r.View()
		r.terminal.Flush()
		defer r.out.Reset()
		return strings.Contains(r.out.String(), ansi.RequestBackgroundColor)
	}
	right, left := pressed("right"), pressed("left")
	if asked(f2, right) {
		t.Errorf("the theme %s has asked", r.Theme)
	}
	if !asked(right) || r.Theme != draw.HighContrast {
		t.Errorf("the theme %s has not asked", r.Theme)
	}
	r.send(tea.BackgroundColorMsg{Color: color.White})
	want := draw.Named(draw.HighContrast, r.Profile, true, false)
	if !reflect.DeepEqual(r.theme, want) {
		t.Error("on a white terminal the colors are those for a dark one")
	}
	if asked(left, right) || asked(right) {
		t.Error("it is asked again")
	}
	r.ASCII, r.terminal = true, terminal.New(&r.out)
	if asked(left) || r.Theme != draw.HighContrast {
		t.Error("a terminal that only has ASCII is asked")
	}
}

// F2 leads to the settings from every page, and back.
func TestSettingsOverEveryPage(t *testing.T) {
	for _, k := range []string{"5", "1", "U", "o", "m", "!", "g", "d"} {
		r := newRig(t, uitest.Fixture())
		r.press(k)
		from := r.view.on
		for _, back := range []tea.KeyPressMsg{f2, pressed("esc")} {
			if r.send(f2); r.view.on != keys.OnSettings {
				t.Errorf("from screen %s F2 leads to %s", from, r.view.on)
			}
			if r.send(back); r.view.on != from {
				t.Errorf("%s leads back to screen %s, not to %s", back, r.view.on, from)
			}
		}
	}
}
