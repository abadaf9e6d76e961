package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Node shows one node: its line, its GPUs and their sum, then as there is room processes, what is wrong here, and graphs. Of a node that
// has no numbers it shows how it is reached.
type Node struct {
	Processes bool // they are shown
}

// Press shows and hides the processes.
func (p *Node) Press(msg tea.Msg, _ *part.Scene) Answer {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || !key.Matches(k, keys.Processes) {
		return Answer{}
	}
	p.Processes = !p.Processes
	return taken
}

// Wants to know the selected node.
func (p *Node) Wants(*part.Scene) Wants { return Wants{Selected: true, Processes: p.Processes} }

// Draw draws the page.
func (p *Node) Draw(f *part.Frame) {
	if !tally.HasNumbers(f.Node) {
		drawDoctor(f, false)
		return
	}
	part.Header(f, true)
	p.body(f)
	part.Footer(f, "", p.hints(f.Scene)...)
}

// hints are the keys of the footer, the most useful first.
func (p *Node) hints(s *part.Scene) []keys.Hint {
	var hints []keys.Hint
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Job)
	}
	if len(s.Job.Nodes) > 1 {
		hints = append(hints, keys.Node)
	}
	processes := keys.HintOf(keys.Processes)
	if p.Processes {
		processes = processes.As("procs ●")
	}
	hints = append(hints, processes, keys.HintOf(keys.Overview))
	return append(append(hints, common(s)...), keys.HintOf(keys.Doctor))
}

func (p *Node) body(f *part.Frame) {
	if f.H < part.Small {
		t := table.NewGPUs(f)
		t.Head(f, 2)
		t.Rows(f, 3, f.H-1)
		return
	}
	part.Tabs(f)
	y := hostLines(f, 3)
	if f.H >= part.Tall {
		y++
	}
	y = gpuTable(f, y, p.tight(f))
	if p.Processes {
		y = processSection(f, y, p.tight(f))
	}
	y = nodeHealth(f, y, f.H >= part.Tall || !p.Processes)
	part.NodeGraphs(f, y)
}

// tight says that processes are to be shown in a low terminal: the one rule then parts them from the sum, which is bold anyway.
func (p *Node) tight(f *part.Frame) bool { return p.Processes && f.H < part.Tall }

// gpuTable draws the GPUs, a rule and their sum from row y and returns the row below.
func gpuTable(f *part.Frame, y int, tight bool) int {
	if len(f.Node.GPUs) == 0 {
		return noGPUs(f, y)
	}
	t := table.NewGPUs(f)
	t.Head(f, y)
	y++
	end := f.H - 3 // the rule, the sum, the keys
	if tight {
		end = min(end, y+max(f.H-y-8, 4)) // processes were asked for: some of them must be seen
	}
	rows := y
	y = t.Rows(f, y, end)
	if f.Node.State == cluster.NodeStale {
		for row := rows; row < y; row++ {
			f.Fade(row, 0, f.W)
		}
	}
	if !tight {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
		y++
	}
	t.Sum(f, y)
	return y + 1
}

// noGPUs says in place of the GPUs why there are none.
func noGPUs(f *part.Frame, y int) int {
	text := "this node has no NVIDIA GPU"
	role := draw.Dim
	if h := f.Node.Hello; h != nil && h.Fault != "" {
		text, role = "✗ no numbers of the GPUs: "+h.Fault, draw.CritFill
	}
	f.Put(1, y, draw.Clip(" "+text+" ", f.W-2), role)
	return y + 1
}

// hostLines draws the line of the node itself, and why its numbers are old if they are, and returns the row below.
func hostLines(f *part.Frame, y int) int {
	n := f.Node
	end := f.W - 1
	if n.State == cluster.NodeStale {
		tag := "[stale " + draw.Age(n.Age) + "]"
		end -= draw.Width(tag) + 1
		f.Put(end+1, y, tag, draw.Warn)
	}
	x := f.PutUntil(1, y, end, draw.ClipMiddle(n.Name, min(32, end-1)), draw.Strong)
	for _, b := range hostBits(f) {
		if x+b.width > end {
			break
		}
		b.draw(x, y)
		x += b.width
	}
	if n.State != cluster.NodeStale {
		return y + 1
	}
	staleLine(f, y+1)
	return y + 2
}

// staleLine says why the numbers are old, as much of it as there is room for.
func staleLine(f *part.Frame, y int) {
	n := f.Node
	head, cause, next, follows := "Nothing from "+n.Name+" for "+draw.Age(n.Age), "its connection is not known to be broken", "", ""
	if n.Failure != nil {
		cause = n.Failure.Summary()
		if next = part.Retry(f, n); next != "" {
			next = ", " + next
		}
	}
	if !n.Arrived.IsZero() {
		follows = " What follows is of " + n.Arrived.Format(time.TimeOnly) + "."
	}
	x := f.Put(1, y, "▲ ", draw.Warn)
	room := f.W - 1 - x
	text := head + " (" + cause + next + ")."
	switch {
	case draw.Width(text+follows) <= room:
		f.Pieces(x, y, part.Text(text), part.Dim(follows))
		return
	case draw.Width(text) > room:
		text = head + " (" + cause + ")."
	}
	f.Left(x, y, room, text, draw.Text)
}

// bit is a piece of the node's line: it is drawn whole or not at all.
type bit struct {
	width int
	draw  func(x, y int)
}

// hostBits are the pieces of the node's line, the most wanted first.
func hostBits(f *part.Frame) []bit {
	n, bar := f.Node, 6
	if f.W >= 100 {
		bar = 10
	}
	var bits []bit
	text := func(words ...part.Piece) {
		bits = append(bits, bit{part.Width(words), func(x, y int) { f.Pieces(x, y, words...) }})
	}
	meter := func(label string, percent float64, words ...part.Piece) {
		bits = append(bits, bit{len(label) + bar + part.Width(words), func(x, y int) {
			x = f.Put(x, y, label, draw.Dim)
			f.Bar(x, y, bar, percent, draw.BarMem)
			f.Pieces(x+bar, y, words...)
		}})
	}
	host := n.Host
	if cpu, known := host.Get(metric.CPU); known {
		meter("  CPU ", cpu, part.Text(fmt.Sprintf("%4s%%", draw.Whole(cpu))))
	} else {
		text(part.Dim("  CPU "), part.Dim(fmt.Sprintf("%*s", bar+5, "·")))
	}
	if now, known := host.Get(metric.Load); known {
		load := []part.Piece{part.Dim("  load "), part.Text(fmt.Sprintf("%5s", draw.One(now)))}
		if n.Hello != nil && n.Hello.CPUs > 0 {
			load = append(load, part.Dim("/"+strconv.Itoa(n.Hello.CPUs)))
		}
		text(load...)
	}
	used, total := host.Float(metric.HostMemoryUsed), host.Float(metric.HostMemoryTotal)
	if percent, ok := cluster.Percent(used, total); ok {
		meter("  MEM ", percent, part.Text(fmt.Sprintf("%5s", draw.GiB(uint64(used)))), part.Dim("/"+draw.GiB(uint64(total))+" GiB"))
	}
	if f.W >= 115 {
		if models := models(n); models != "" {
			text(part.Dim("  " + models))
		}
	}
	if f.W >= 140 {
		text(versions(f)...)
	}
	return bits
}

// versions is what the node's line says in a wide terminal of what hardly ever changes.
func versions(f *part.Frame) []part.Piece {
	var words []part.Piece
	add := func(label, value string) {
		if value != "" {
			words = append(words, part.Dim("  "+label+" "), part.Text(value))
		}
	}
	if h := f.Node.Hello; h != nil {
		add("driver", h.Driver)
		add("CUDA", h.CUDA)
	}
	if up, known := f.Node.Host.Get(metric.Uptime); known {
		add("up", draw.Age(time.Duration(up)*time.Second))
	}
	return words
}

// models names the GPUs of a node: "8 × H100 80GB HBM3".
func models(n *cluster.Node) string {
	var all, counted []string
	for i := range n.GPUs {
		if name := n.GPUs[i].Card.Name; name != "" {
			all = append(all, tally.ShortModel(name))
		}
	}
	for _, m := range tally.Count(all) {
		counted = append(counted, strconv.Itoa(m.Count)+" × "+m.What)
	}
	return draw.Clip(strings.Join(counted, ", "), 40)
}

// processSection draws the processes of the node from row y and returns the row below.
func processSection(f *part.Frame, y int, tight bool) int {
	list, own := tally.Processes(f.Job, f.Node)
	if f.Mine {
		list = list[:own]
	}
	n := len(list)
	count := strconv.Itoa(n)
	if own < n {
		count = strconv.Itoa(own) + " mine of " + count
	}
	if !tight {
		y++
		right := count + " on " + f.Node.Name + ", by GPU"
		if !f.Node.Listed {
			right = ""
		}
		f.Section(y, "Processes", right)
	} else {
		f.Fill(2, y, f.W-4, '╌', draw.Faint)
	}
	y++
	end := f.H - 1
	switch {
	case y >= end:
	case !f.Node.Listed:
		f.Left(2, y, f.W-3, "· "+f.Node.Name+" has not sent its processes yet", draw.Dim)
		y++
	case n == 0:
		f.Left(2, y, f.W-3, "no process has a context on a GPU here", draw.Dim)
		y++
	default:
		t := table.NewProcesses(f.W)
		t.Head(f, y)
		y = t.Rows(f, y+1, end, list)
	}
	return y
}

// nodeHealth draws what is wrong on the node, or worth knowing, below a blank line where there is one, and returns the row below.
func nodeHealth(f *part.Frame, y int, blank bool) int {
	findings := f.Health.Listed(f.Node.Name)
	if blank {
		y++
	}
	if len(findings) == 0 || y+2 > f.H-1 {
		return y - 1
	}
	right := ""
	if all := len(f.Job.Findings); all > len(findings) {
		right = strconv.Itoa(all) + " in the job, o shows them"
	}
	f.Section(y, "Health of this node", right)
	return part.Sentences(f, y+1, f.H-1, findings)
}
