package part

import (
	"cmp"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// Levels are the thresholds between light, moderate and heavy use, in percent.
type Levels [2]float64

// usual are the thresholds of utilization where none are set.
var usual = Levels{60, 85}

// Level is the role of a utilization and of its bar: these, or in the classic colors those of its level.
func (s *Scene) Level(util float64, number, bar draw.Role) (draw.Role, draw.Role) {
	return s.leveled(util, cmp.Or(s.Levels, usual), number, bar)
}

// MemoryLevel is Level for a share of the memory, which has levels only where their thresholds are set.
func (s *Scene) MemoryLevel(percent float64, number, bar draw.Role) (draw.Role, draw.Role) {
	return s.leveled(percent, s.MemoryLevels, number, bar)
}

func (s *Scene) leveled(percent float64, at Levels, number, bar draw.Role) (draw.Role, draw.Role) {
	switch {
	case !s.Classic || percent != percent || at == Levels{}:
		return number, bar
	case percent < at[0]:
		return draw.Green, draw.BarGreen
	case percent < at[1]:
		return draw.Yellow, draw.BarYellow
	}
	return draw.Red, draw.BarRed
}
