package graph

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// engines are the parts of a GPU whose use is shown as a number and a small bar.
var engines = []struct {
	id          metric.ID
	long, short string
}{
	{metric.SMActive, "SM active", "SM"}, {metric.SMOccupancy, "occupancy", "occ"},
	{metric.TensorActive, "tensor", "tensor"}, {metric.DRAMActive, "DRAM", "DRAM"},
	{metric.Encoder, "encoder", "enc"}, {metric.Decoder, "decoder", "dec"}, {metric.JPEG, "JPEG", "JPEG"},
	{metric.OFA, "OFA", "OFA"},
}

// The width of the bar of an engine.
const engineLeast, engineMost = 3, 10

// Engines draws the load of the engines that the GPU has in row y: as many as fit, with the longest names and bars for
// which there is still room.
func Engines(f *part.Frame, y int, g *cluster.GPU) {
	var names [2][]string
	var ids []metric.ID
	wide := [2]int{}
	for _, u := range engines {
		if part.Lacks(g, u.id) {
			continue
		}
		ids = append(ids, u.id)
		for i, name := range []string{u.short, u.long} {
			names[i] = append(names[i], name)
			wide[i] += draw.Width(name) + len("  100%  ")
		}
	}
	if len(ids) == 0 {
		return
	}
	kind, bar := 0, 0
	for i := range names {
		if left := (f.W - 2 - wide[i] + 2) / len(ids); left >= engineLeast {
			kind, bar = i, min(left, engineMost)
		}
	}
	x := 1
	for i, id := range ids {
		if x+draw.Width(names[kind][i])+bar+len("  100%") > f.W-1 {
			return
		}
		x = f.Put(x, y, names[kind][i]+" ", draw.Dim)
		text, role := part.Measured(g, id, "%"), draw.Text
		if text == "" {
			text, role = presentValue(g, ""), draw.Dim
		}
		f.Bar(x, y, bar, g.Float(id), draw.BarData)
		f.Right(x+bar+1, y, len("100%"), text, role)
		x += bar + len(" 100%  ")
	}
}
