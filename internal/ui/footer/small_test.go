package footer

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Nothing of a page stands between the keys, however small the terminal is.
func TestTheFooterHasItsRowForItself(t *testing.T) {
	s := &part.Scene{Size: part.Size{W: 20, H: 5}, Memory: &part.Memory{}, Printed: true}
	f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
	f.Put(0, s.H-1, "0123456789012345678", draw.Text)
	Draw(f, "", LastHints...)
	rows := strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas)), "\n")
	if got := strings.TrimRight(rows[s.H-1], " "); got != " ? all  q quit" {
		t.Errorf("the footer is %q", got)
	}
}
