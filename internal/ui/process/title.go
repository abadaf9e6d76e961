package process

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// drawTitle draws the rule with the scope. At its right is a description of the rows, as far as there is room, and
// which rows are on the screen.
func (p *Page) drawTitle(f *part.Frame, r rooms, v *view) {
	x := f.Focus(r.title, "Processes of "+p.scope.scopeName(f.Scene))
	where := p.Window(f.Scene).Where()
	order := orderWords(p.List)
	if p.kin.tree {
		order = p.kin.treeText(f.Snap.At, v)
	}
	count, listed := p.tags.countText(v, p.Filter.On(everyJob) && !p.kin.tree),
		p.scope.currentListing(f.Scene).listedNodesText()
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

// countText is "3 tagged of 8", "8 processes".
func (t *tags) countText(v *view, filtered bool) string {
	n := v.Len()
	switch {
	case t.shown > 0 && filtered:
		return strconv.Itoa(t.shown) + " tagged of " + strconv.Itoa(n) + " that match"
	case t.shown > 0:
		return strconv.Itoa(t.shown) + " tagged of " + strconv.Itoa(n)
	case filtered:
		return strconv.Itoa(n) + " of " + strconv.Itoa(v.All) + " match"
	}
	return part.Plural(n, "process", "processes")
}

// listedNodesText is ", on 3 of 4 nodes" if some nodes have not listed their processes, otherwise "".
func (l *listing) listedNodesText() string {
	if l.listed == l.nodes || l.nodes == 1 {
		return ""
	}
	return ", on " + strconv.Itoa(l.listed) + " of " + part.Plural(l.nodes, "node", "nodes")
}
