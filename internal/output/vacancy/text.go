package vacancy

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// listColumns are the columns of nvgpu's table. As there, at least two spaces follow a heading.
var listColumns = []text.Column{
	under("", true), under("status", false), under("type", false), under("util.", false), under("mem. used", false),
	under("temp.", true), under("MHz", true), under("users", false), under("since", false), under("pids", false),
	under("cmd", false),
}

func under(head string, right bool) text.Column {
	return text.Column{Head: head, Right: right, Wide: draw.Width(head) + text.TableGap}
}

// stateRoles are the colors of the states: green, blue and red in nvgpu.
var stateRoles = [...]draw.Role{Free: draw.Green, Used: draw.Data, Unknown: draw.Red, Out: draw.Dim}

// List writes the table of the nodes' GPUs. Each node is under its name, unless it is the only one.
func List(w io.Writer, nodes []Node, at time.Time, theme *draw.Theme) error {
	var parts []string
	for i := range nodes {
		n := &nodes[i]
		text := ""
		if len(nodes) > 1 || !tally.HasNumbers(n.Node) {
			text = n.Name + "\n"
		}
		switch {
		case !tally.HasNumbers(n.Node):
			text += missingReason(n.Node)
		case len(n.GPUs) == 0:
			text += "no GPU"
		default:
			text += n.makeTable(at).encodeTable(theme)
		}
		parts = append(parts, text)
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

// missingReason returns why a node has no numbers.
func missingReason(n *cluster.Node) string {
	if n.Failure != nil {
		return n.Failure.Summary()
	}
	return "not reporting yet"
}

func (n *Node) makeTable(at time.Time) *coloredTable {
	t := newTable(listColumns)
	for i := range n.GPUs {
		g := &n.GPUs[i]
		util := formatNumber(g.Float(metric.Util))
		if util != "" {
			util = strings.Repeat(" ", max(3-len(util), 0)) + util + " %"
		}
		t.addRow(stateRoles[g.State], g.Index, g.State.Mark(), tally.ShortModel(g.Card.Name), util,
			formatGigabytes(g), formatNumber(g.Float(metric.Temperature)), formatNumber(g.Float(metric.SMClock)),
			strings.Join(removeRepeats(g.userNames()), ","), g.processAge(n.Node, at), g.joinPIDs(), g.firstCommand())
	}
	return t
}

// formatGigabytes returns the used memory as nvgpu prints it, "11.32GB"; "" if unknown.
func formatGigabytes(g *GPU) string {
	used, _ := g.memoryUse()
	if math.IsNaN(used) {
		return ""
	}
	text := strconv.FormatFloat(math.Round(used/1e7)/100, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0" // as Python prints it
	}
	return text + "GB"
}

// formatNumber returns a value without decimals; "" if unknown.
func formatNumber(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return draw.Whole(v)
}
