package footer

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// A line takes keys and pastes as text of one line, up to its limit, and leaves the mouse to others.
func TestLineIsEdited(t *testing.T) {
	l := NewInputLine("rnk", 8)
	for _, msg := range []tea.Msg{named["left"], named["left"], tea.KeyPressMsg{Code: 'a', Text: "a\u202e\x1b"},
		tea.PasteMsg{Content: "\u202e\n"}} {
		if !l.Edit(msg) {
			t.Errorf("%v is not taken", msg)
		}
	}
	if got := l.Text(); got != "ra nk" || l.cursorByte() != 3 {
		t.Errorf("%q with the cursor before byte %d", got, l.cursorByte())
	}
	if l.Edit(tea.MouseWheelMsg{}) {
		t.Error("the wheel is taken")
	}
	l.Edit(tea.PasteMsg{Content: strings.Repeat("模", 100)})
	if got := l.Text(); got != "ra 模模模nk" {
		t.Errorf("%q in a line of 8 characters", got)
	}
}

// The text has the role that it is given; only the cursor stands out, and it is seen in any width.
func TestLineIsDrawn(t *testing.T) {
	type piece struct {
		text string
		role draw.Role
	}
	for _, test := range []struct {
		w, left int
		want    []piece
	}{
		{40, 0, []piece{{"ranks of job", draw.Text}, {"█", draw.Text}}},
		{40, 3, []piece{{"ranks of ", draw.Text}, {"j", draw.Tab}, {"ob", draw.Text}}},
		{12, 0, []piece{{" of job", draw.Text}, {"█", draw.Text}}},
	} {
		l := NewInputLine("ranks of job", 100)
		for range test.left {
			l.Edit(named["left"])
		}
		got, want := draw.New(test.w, 1), draw.New(test.w, 1)
		end := l.Draw(&part.Frame{Canvas: got, Scene: &part.Scene{Size: part.Size{W: test.w, H: 1}}}, 1, 0, draw.Text,
			-1)
		x := 1
		for _, p := range test.want {
			x = want.Put(x, 0, p.text, p.role)
		}
		theme := draw.NewTheme(colorprofile.TrueColor, false, false)
		if got, want := string(theme.Encode(nil, got)), string(theme.Encode(nil, want)); got != want || end != x {
			t.Errorf("in %d columns, %d to the left: %q up to %d, want %q up to %d", test.w, test.left, got, end, want,
				x)
		}
	}
}
