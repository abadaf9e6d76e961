package part

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// Rate is bytes per second in GB/s: one decimal below 10, none from there; "" if unknown.
func Rate(bytes float64) string {
	switch gb := bytes / 1e9; {
	case math.IsNaN(gb):
		return ""
	case gb < 9.95:
		return draw.One(gb) + " GB/s"
	default:
		return draw.Whole(gb) + " GB/s"
	}
}
