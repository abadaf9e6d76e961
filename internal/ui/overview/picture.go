package overview

import (
	"slices"
	"unsafe"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// pictureKey has everything that the picture of the nodes depends on, besides the Snapshot and the job.
type pictureKey struct {
	size   part.Size
	first  *string // the first of the shown nodes: their slice never changes
	nodes  int
	page   int
	mine   bool
	colors part.Colors
	gauge  tally.Gauge
}

// cachedPicture returns the picture of the nodes without the cursor. Drawing the cells of a thousand nodes takes longer
// than everything else, and most keys change none of them.
func cachedPicture(f *part.Frame, t *tiles) *draw.Canvas {
	key := pictureKey{f.Size, unsafe.SliceData(f.Order), len(f.Order), t.page, f.Mine, f.Colors, f.Gauge}
	return part.Once(f.Scene, key, func() *draw.Canvas {
		on := &part.Frame{Canvas: draw.New(f.W, t.top+t.usedRows()), Scene: f.Scene}
		if t.style == tileStrips {
			drawStrips(on, t)
		} else {
			drawTiles(on, t)
		}
		return on.Canvas
	})
}

// drawNodes draws the nodes, with the cursor on the selected one.
func drawNodes(f *part.Frame, t *tiles) {
	f.Copy(t.top, cachedPicture(f, t), t.top, t.usedRows())
	at := slices.Index(t.nodes, f.Node.Name)
	if at < 0 {
		return
	}
	x, y := t.tilePosition(at)
	switch t.style {
	case tileStrips:
		pointStrip(f, t, at)
	case tileDot:
		f.Point(y, x, x+1)
		f.Put(0, y, "▸", draw.Strong)
	default:
		f.Point(y, x, x+t.nameAt+t.name)
	}
}
