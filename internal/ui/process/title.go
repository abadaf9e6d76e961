package process

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// title draws the rule with the scope, and right in it as much of what the rows are as there is room for, and which of
// them are on the screen.
func (p *Page) title(f *part.Frame, r rooms, l *listing) {
	x := f.Focus(r.title, "Processes of "+p.scope.name(f.Scene))
	where := p.cursor.Window(p.list(f.Scene, l)).Where()
	order := l.of.order.words()
	if l.of.tree {
		order = p.kin.words(f.Snap.At, l)
	}
	count, listed := l.count(p.tags.shown), l.unlisted()
	if len(f.Only) > 0 {
		count += " on the GPUs of --only"
	}
	for _, text := range []string{count + listed + order, count + order, count + listed, count, ""} {
		text = strings.TrimSpace(text + "  " + where)
		if at := f.W - 4 - draw.Width(text); text != "" && at > x {
			f.Put(at, r.title, " "+text+" ", draw.Dim)
			return
		}
	}
}

// count is "3 tagged of 8", "8 processes".
func (l *listing) count(tagged int) string {
	n := len(l.order)
	switch filtered := l.of.filter != nil && !l.of.tree; {
	case tagged > 0 && filtered:
		return strconv.Itoa(tagged) + " tagged of " + strconv.Itoa(n) + " that match"
	case tagged > 0:
		return strconv.Itoa(tagged) + " tagged of " + strconv.Itoa(n)
	case filtered:
		return strconv.Itoa(n) + " of " + strconv.Itoa(l.all) + " match"
	}
	return part.Plural(n, "process", "processes")
}

// unlisted is ", on 3 of 4 nodes" where not all nodes have listed their processes, else "".
func (l *listing) unlisted() string {
	if l.listed == l.nodes || l.nodes == 1 {
		return ""
	}
	return ", on " + strconv.Itoa(l.listed) + " of " + part.Plural(l.nodes, "node", "nodes")
}
