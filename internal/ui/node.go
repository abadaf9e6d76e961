package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// small is the height below which there is room for rows 0 and 1 and the GPUs only.
const small = 10

// nodeView draws one node: its line, its GPUs and their sum, then as there is room processes, what is wrong here, and graphs.
func (f *frame) nodeView() {
	f.header(true)
	if !hasNumbers(f.node) {
		f.tabs()
		f.doctor(4)
		f.footer("", f.doctorHints()...)
		return
	}
	defer f.footer("", f.nodeHints()...)
	l := nodeLayout(f.w)
	if f.h < small {
		f.headings(2, &l, nodeTitles)
		f.gpuRows(3, f.h-1, &l)
		return
	}
	f.tabs()
	y := f.hostLines(3)
	if f.h >= tall {
		y++
	}
	if len(f.node.GPUs) == 0 {
		y = f.noGPUs(y)
	} else {
		f.headings(y, &l, nodeTitles)
		y = f.gpuTable(y+1, &l)
	}
	if f.view.processes {
		y = f.processSection(y)
	}
	y = f.nodeHealth(y)
	f.nodeGraphs(y)
}

func (f *frame) nodeHints() []hint {
	return []hint{{"↑↓", "job"}, {"←→", "node"}, {"p", "procs"}, {"o", "overview"}, {"a", "only mine"}, {"d", "doctor"}, {"C", "colours"}, {"r", "refresh"}, {"?", "help"}, {"q", "quit"}}
}

// gpuTable draws the GPUs, a rule and their sum from row y and returns the row below.
func (f *frame) gpuTable(y int, l *layout) int {
	tight := f.tight()
	end := f.h - 3 // the rule, the sum, the keys
	if tight {
		end = min(end, y+max(f.h-y-8, 4)) // processes were asked for: some of them must be seen
	}
	rows := y
	y = f.gpuRows(y, end, l)
	if f.node.State == cluster.NodeStale {
		f.Fade(rows, y)
	}
	if !tight {
		f.Fill(2, y, f.w-4, '╌', draw.Faint)
		y++
	}
	f.sumRow(y, l)
	return y + 1
}

// tight says that processes are to be shown in a low terminal: the one rule then parts them from the sum, which is bold anyway.
func (f *frame) tight() bool { return f.view.processes && f.h < tall }

// noGPUs says in place of the GPUs why there are none.
func (f *frame) noGPUs(y int) int {
	text := "this node has no NVIDIA GPU"
	role := draw.Dim
	if h := f.node.Hello; h != nil && h.Fault != "" {
		text, role = "✗ no numbers of the GPUs: "+h.Fault, draw.CritFill
	}
	f.Put(1, y, draw.Clip(" "+text+" ", f.w-2), role)
	return y + 1
}

// hostLines draws the line of the node itself, and why its numbers are old if they are, and returns the row below.
func (f *frame) hostLines(y int) int {
	n := f.node
	end := f.w - 1
	if n.State == cluster.NodeStale {
		tag := "[stale " + draw.Age(n.Age) + "]"
		end -= draw.Width(tag) + 1
		f.Put(end+1, y, tag, draw.Warn)
	}
	x := f.PutUntil(1, y, end, draw.ClipMiddle(n.Name, min(32, end-1)), draw.Strong)
	for _, part := range f.hostParts() {
		if x+part.width > end {
			break
		}
		part.draw(x, y)
		x += part.width
	}
	if n.State != cluster.NodeStale {
		return y + 1
	}
	f.staleLine(y + 1)
	return y + 2
}

// staleLine says why the numbers are old, as much of it as there is room for.
func (f *frame) staleLine(y int) {
	n := f.node
	head, cause, next, follows := "Nothing from "+n.Name+" for "+draw.Age(n.Age), "its connection is not known to be broken", "", ""
	if n.Failure != nil {
		cause = n.Failure.Summary()
		if next = f.retry(n); next != "" {
			next = ", " + next
		}
	}
	if !n.Arrived.IsZero() {
		follows = " What follows is of " + n.Arrived.Format(time.TimeOnly) + "."
	}
	x := f.Put(1, y, "▲ ", draw.Warn)
	room := f.w - 1 - x
	text := head + " (" + cause + next + ")."
	switch {
	case draw.Width(text+follows) <= room:
		f.words(x, y, word{text, draw.Text}, word{follows, draw.Dim})
		return
	case draw.Width(text) > room:
		text = head + " (" + cause + ")."
	}
	f.Left(x, y, room, text, draw.Text)
}

// part is a piece of the node's line: it is drawn whole or not at all.
type part struct {
	width int
	draw  func(x, y int)
}

// hostParts are the pieces of the node's line, the most wanted first.
func (f *frame) hostParts() []part {
	n, bar := f.node, 6
	if f.w >= 100 {
		bar = 10
	}
	var parts []part
	text := func(words ...word) {
		parts = append(parts, part{width(words), func(x, y int) { f.words(x, y, words...) }})
	}
	meter := func(label string, percent float64, words ...word) {
		parts = append(parts, part{len(label) + bar + width(words), func(x, y int) {
			x = f.Put(x, y, label, draw.Dim)
			f.Bar(x, y, bar, percent, draw.BarMem)
			f.words(x+bar, y, words...)
		}})
	}
	host := n.Host
	if cpu, known := host.Get(metric.CPU); known {
		meter("  CPU ", cpu, word{padLeft(draw.Whole(cpu), 4) + "%", draw.Text})
	} else {
		text(word{"  CPU ", draw.Dim}, word{padLeft("·", bar+5), draw.Dim})
	}
	if now, known := host.Get(metric.Load); known {
		load := []word{{"  load ", draw.Dim}, {padLeft(draw.One(now), 5), draw.Text}}
		if n.Hello != nil && n.Hello.CPUs > 0 {
			load = append(load, word{"/" + strconv.Itoa(n.Hello.CPUs), draw.Dim})
		}
		text(load...)
	}
	used, total := host.Float(metric.HostMemoryUsed), host.Float(metric.HostMemoryTotal)
	if percent, ok := cluster.Percent(used, total); ok {
		meter("  MEM ", percent, word{padLeft(draw.GiB(uint64(used)), 5), draw.Text}, word{"/" + draw.GiB(uint64(total)) + " GiB", draw.Dim})
	}
	if f.w >= 115 {
		if models := models(n); models != "" {
			text(word{"  " + models, draw.Dim})
		}
	}
	if f.w >= 140 {
		text(f.versions()...)
	}
	return parts
}

// versions is what the node's line says in a wide terminal of what hardly ever changes.
func (f *frame) versions() []word {
	var words []word
	add := func(label, value string) {
		if value != "" {
			words = append(words, word{"  " + label + " ", draw.Dim}, word{value, draw.Text})
		}
	}
	if h := f.node.Hello; h != nil {
		add("driver", h.Driver)
		add("CUDA", h.CUDA)
	}
	if up, known := f.node.Host.Get(metric.Uptime); known {
		add("up", draw.Age(time.Duration(up)*time.Second))
	}
	return words
}

// models names the GPUs of a node: "8 × H100 80GB HBM3".
func models(n *cluster.Node) string {
	var names []string
	counts := map[string]int{}
	for i := range n.GPUs {
		name := shortModel(n.GPUs[i].Card.Name)
		if name == "" {
			continue
		}
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name]++
	}
	for i, name := range names {
		names[i] = strconv.Itoa(counts[name]) + " × " + name
	}
	return draw.Clip(strings.Join(names, ", "), 40)
}

func shortModel(name string) string { return strings.TrimPrefix(name, "NVIDIA ") }

func padLeft(s string, w int) string {
	if n := w - draw.Width(s); n > 0 {
		return strings.Repeat(" ", n) + s
	}
	return s
}

// nodeHealth draws what is wrong on the node, or worth knowing, and returns the row below.
func (f *frame) nodeHealth(y int) int {
	findings := f.listed(f.node.Name)
	if f.h >= tall || !f.view.processes {
		y++
	}
	if len(findings) == 0 || y+2 > f.h-1 {
		return y - 1
	}
	right := ""
	if all := len(f.job.Findings); all > len(findings) {
		right = strconv.Itoa(all) + " in the job, o shows them"
	}
	f.section(y, "Health of this node", right)
	return f.sentences(y+1, f.h-1, findings)
}
