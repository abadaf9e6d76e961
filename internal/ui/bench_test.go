package ui

import (
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// A frame is drawn once a second and after each key; it should cost less than 300 µs.
func BenchmarkFrame(b *testing.B) {
	for _, bench := range []struct {
		name string
		snap *cluster.Snapshot
		view func(*view)
	}{
		{"node", uitest.Fixture(), func(*view) {}},
		{"node-procs", uitest.Fixture(), func(v *view) { v.node().Processes = node.ShowOn }},
		{"overview-4", uitest.Fixture(), func(v *view) { v.on = keys.OnOverview }},
		{"gpu", uitest.Fixture(), func(v *view) { v.on = keys.OnGPU }},
		{"overview-64-rows", uitest.BigFixture(),
			func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridRows }},
		{"overview-64-map", uitest.BigFixture(), func(v *view) { v.on = keys.OnOverview }},
		{"times-1000", uitest.ManyFixture(1000), func(v *view) { v.on = keys.OnOverview; v.overview().Times = true }},
		{"overview-1000-map", uitest.ManyFixture(1000), func(v *view) { v.on = keys.OnOverview }},
		{"overview-1000-strips", uitest.SwitchedFixture(1000), func(v *view) { v.on = keys.OnOverview }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			v := newNodeView()
			bench.view(v)
			theme := draw.NewTheme(colorprofile.TrueColor, false, false)
			c := draw.New(0, 0)
			s := &part.Scene{Snap: bench.snap, Display: time.Second, Memory: &part.Memory{}}
			s.Resize(200, 50)
			var out []byte
			for b.Loop() {
				c.Reset(200, 50)
				v.resolveSelection(s)
				v.drawPage(&part.Frame{Canvas: c, Scene: s})
				out = theme.Encode(out[:0], c)
			}
			b.ReportMetric(float64(len(out)), "bytes/frame")
		})
	}
}

// A key must be answered within one frame's time, however many nodes there are.
func BenchmarkPress(b *testing.B) {
	snap := uitest.BigFixture()
	d := newDesk(nil, shot{snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.on = keys.OnOverview }}, 200, 50)
	for b.Loop() {
		d.press("down", "up")
	}
}
