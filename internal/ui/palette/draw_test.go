package palette

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// The line under the cursor is marked, and no other.
func TestChosenLine(t *testing.T) {
	s := &part.Scene{Memory: &part.Memory{}}
	s.Resize(80, 20)
	lines := func(chosen int) []string {
		f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
		m := f.Modal("title", 60, 10)
		for y := range 3 {
			(&Page{}).drawItem(m, y, &Item{Text: "item", Key: "k"}, y == chosen)
		}
		theme := draw.NewTheme(colorprofile.TrueColor, true, false)
		return strings.Split(string(theme.Encode(nil, f.Canvas)), "\n")[m.Y : m.Y+3]
	}
	none := lines(-1)
	for chosen := range 3 {
		for y, line := range lines(chosen) {
			background := strings.Count(line, "48;2;") > strings.Count(none[y], "48;2;")
			if background != (y == chosen) || strings.Contains(line, "▸") != (y == chosen) {
				t.Errorf("line %d, chosen %d: %q, without a cursor %q", y, chosen, line, none[y])
			}
		}
	}
}
