package node

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// hostLines draws the line of the node itself and, if its values are old, the reason. It returns the row below.
func hostLines(f *part.Frame, y int) int {
	n := f.Node
	end := f.W - 1
	if tag, role := OldTag(n); tag != "" {
		end -= draw.Width(tag) + 1
		f.Put(end+1, y, tag, role)
	}
	x := f.PutUntil(1, y, end, draw.ClipMiddle(n.Name, min(32, end-1)), draw.Strong)
	for _, b := range hostBits(f) {
		if x+b.width > end {
			break
		}
		b.draw(x, y)
		x += b.width
	}
	if !tally.Old(n) {
		return y + 1
	}
	if n.State != cluster.NodeStale {
		f.Fade(y, 0, end)
	}
	staleLine(f, y+1)
	return y + 2
}

// staleLine says why the values are old, as far as there is room.
func staleLine(f *part.Frame, y int) {
	n := f.Node
	if n.State != cluster.NodeStale {
		DrawFailedLine(f, y)
		return
	}
	head, cause, next, from := "Not responding for "+draw.Age(n.Age), "; the connection is still open", "", ""
	if n.Failure != nil {
		cause = ": " + n.Failure.Summary()
		if next = header.RetryText(f, n); next != "" {
			next = ", " + next
		}
	}
	if !n.Arrived.IsZero() {
		from = " Showing data from " + n.Arrived.Format(time.TimeOnly) + "."
	}
	x := f.Put(1, y, "▲ ", draw.Warn)
	room := f.W - 1 - x
	text := head + cause + next + "."
	switch {
	case draw.Width(text+from) <= room:
		f.Pieces(x, y, part.Text(text), part.Dim(from))
		return
	case draw.Width(text) > room:
		text = head + cause + "."
	}
	f.Left(x, y, room, text, draw.Text)
}

// linePart is a piece of the node's line. It is drawn whole or not at all.
type linePart struct {
	width int
	draw  func(x, y int)
}

// hostBits are the pieces of the node's line, the most important first.
func hostBits(f *part.Frame) []linePart {
	n, bar := f.Node, 6
	if f.W >= 100 {
		bar = 10
	}
	var bits []linePart
	text := func(words ...part.Piece) {
		bits = append(bits, linePart{part.Width(words), func(x, y int) { f.Pieces(x, y, words...) }})
	}
	meter := func(label string, percent float64, words ...part.Piece) {
		bits = append(bits, linePart{len(label) + bar + part.Width(words), func(x, y int) {
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
		meter("  MEM ", percent, part.Text(fmt.Sprintf("%5s", draw.GiB(uint64(used)))),
			part.Dim("/"+draw.GiB(uint64(total))+" GiB"))
	}
	if f.W >= 115 {
		if models := modelsText(n); models != "" {
			text(part.Dim("  " + models))
		}
	}
	if f.W >= 140 {
		text(versionPieces(f)...)
	}
	return bits
}

// versionPieces are the pieces of the node's line that hardly ever change; only wide terminals have room for them.
func versionPieces(f *part.Frame) []part.Piece {
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

// modelsText names the GPUs of a node, in the order of their models: "8 × H100 80GB HBM3".
func modelsText(n *cluster.Node) string {
	var names, texts []string
	count := map[string]int{}
	for i := range n.GPUs {
		name := tally.ShortModel(n.GPUs[i].Card.Name)
		if name == "" || n.GPUs[i].Instance() {
			continue
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for _, name := range names {
		texts = append(texts, strconv.Itoa(count[name])+" × "+name)
	}
	return draw.Clip(strings.Join(texts, ", "), 40)
}
