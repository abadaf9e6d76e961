package part

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MemoryOf says how much of its memory a GPU has used at most since nvnodetop started watching, and when the memory
// will be full; nothing if that is unknown.
func MemoryOf(g *cluster.GPU) []Piece {
	total, known := g.Get(metric.MemoryTotal)
	if !known || !g.Memory.Known() || tally.Lost(g) != "" {
		return nil
	}
	full := FullIn(g)
	if trend, fills := g.Memory.Trend(total); fills {
		full = fmt.Sprintf("grows by %s GiB a minute: %s", draw.One(trend.PerMinute/gib), full)
	}
	return memoryPieces("GPU memory ", g.Memory.Peak(), total, full)
}

const gib = 1 << 30

// FullIn is "full in 12 min" for a GPU whose memory is filling up, otherwise "".
func FullIn(g *cluster.GPU) string {
	if trend, fills := g.Memory.Trend(g.Float(metric.MemoryTotal)); fills {
		return fullIn(trend.Full)
	}
	return ""
}

func fullIn(in time.Duration) string {
	return fmt.Sprintf("full in %d min", max(int(in.Round(time.Minute)/time.Minute), 1))
}

// HostMemoryOf says the same about the memory that the job uses on the node. A finding that it fills up takes
// precedence.
func HostMemoryOf(s *Scene, n *cluster.Node) []Piece {
	m := n.MemoryOf(&s.Job.Job)
	if m == nil {
		return nil
	}
	full := ""
	if trend, fills := m.Past.Trend(float64(m.Limit)); fills {
		full = fullIn(trend.Full)
	}
	for _, f := range s.Health.ByNode[n.Name] {
		if in, known := m.Full(); known && f.Kind == cluster.KindHostMemory && f.Holds() {
			full = fullIn(in)
		}
	}
	return memoryPieces("host memory ", m.Past.Peak(), float64(m.Limit), full)
}

// memoryPieces is "GPU memory peak 73.0 of 79.6 GiB, full in 12 min".
func memoryPieces(of string, peak, limit float64, full string) []Piece {
	pieces := []Piece{Dim(of + "peak "), Text(draw.GiB(uint64(peak))),
		Dim(" of " + draw.GiB(uint64(limit)) + " GiB")}
	if full != "" {
		pieces = append(pieces, Piece{", " + full, draw.Warn})
	}
	return pieces
}
