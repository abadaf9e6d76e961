package palette

import (
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Marks explain the marks and colors of all pages, and the options of the command line. Enter does nothing on them.
func Marks() []Item {
	list := []Item{
		{Text: "▲", Role: draw.Warn, Note: "warning"},
		{Text: "✗", Role: draw.Crit, Note: "error"},
		{Text: "◌", Role: draw.Dim, Note: "connecting"},
	}
	for _, l := range say.Letters {
		role := draw.WarnFill
		if l.Letter == 'X' {
			role = draw.CritFill
		}
		list = append(list, Item{Text: string(l.Letter), Role: role, Note: l.Full})
	}
	list = append(list, states...)
	return append(withGroup("marks", list), append(withGroup("colors", colors), withGroup("command line", options)...)...)
}

// withGroup returns a copy of items with their group set.
func withGroup(group string, items []Item) []Item {
	list := make([]Item, len(items))
	for i, it := range items {
		it.Group = group
		list[i] = it
	}
	return list
}

var (
	states = []Item{
		{Text: "!SLOW", Note: "hardware slowdown, reason not reported"},
		{Text: "░", Note: "not responding: the last values"},
		{Text: "·", Note: "no data yet"},
		{Text: "n/a", Note: "not reported by the driver"},
		{Text: "–", Note: "does not apply"},
		{Text: "free", Note: "a GPU that no job has"},
		{Text: "[stale 12s]", Note: "not responding for 12s"},
		{Text: "(5 of 8)", Note: "GPUs included in the total"},
		{Text: "91.0 procs", Note: "GiB of the processes: the driver does not count the memory of the GPU"},
		{Text: "C G X M", Note: "process type (column T): compute, graphics, both, MPS"},
	}
	colors = []Item{
		{Text: "blue, gray", Note: "normal (busy is good)"},
		{Text: "amber", Note: "warning"},
		{Text: "white on red", Note: "error: act on it"},
		{Text: "classic", Note: "traffic-light colors by utilization (60/85): " + keys.Name(keys.Colors) +
			" switches to them and back"},
	}
	options = []Item{
		{Text: "--view", Note: "auto, node, overview"},
		{Text: "--colors", Note: "job, classic"},
		{Text: "--theme", Note: "auto, dark, light, high-contrast, colorblind, mono"},
		{Text: "--ascii", Note: "ASCII characters only"},
	}
)

// Explained has the items that do nothing: the admins' message and the address of their help, marks and colors, the
// version.
func Explained(s *part.Scene) (list []Item) {
	if s.Banner != "" {
		list = append(list, Item{Group: "from your admins", Text: s.Banner})
	}
	if s.HelpURL != "" {
		list = append(list, Item{Group: "from your admins", Text: "help: " + s.HelpURL})
	}
	return append(append(list, Marks()...),
		Item{Group: "version", Text: s.Version})
}
