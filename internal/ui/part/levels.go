package part

import (
	"cmp"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// Look is the look of the pages that the user can change: on the screen, and for what is printed.
type Look struct {
	Colors
	Columns rows.ChosenColumns // of the tables; empty: the usual ones
}

// Levels are the thresholds between light, moderate and heavy use, in percent.
type Levels [2]float64

// UsualLevels are the thresholds if none are set.
var UsualLevels = Levels{60, 85}

// Colors are the classic colors, which show the level of utilization.
type Colors struct {
	Classic              bool   // the classic colors are on
	Levels, MemoryLevels Levels // their thresholds
}

// Level returns the roles of a utilization and of its bar: the given ones, or with the classic colors those of its
// level.
func (c Colors) Level(util float64, number, bar draw.Role) (draw.Role, draw.Role) {
	return c.classicRoles(util, cmp.Or(c.Levels, UsualLevels), number, bar)
}

// MemoryLevel is Level for a share of the memory, which has thresholds of its own.
func (c Colors) MemoryLevel(percent float64, number, bar draw.Role) (draw.Role, draw.Role) {
	return c.classicRoles(percent, cmp.Or(c.MemoryLevels, UsualLevels), number, bar)
}

func (c Colors) classicRoles(percent float64, at Levels, number, bar draw.Role) (draw.Role, draw.Role) {
	switch {
	case !c.Classic || percent != percent:
		return number, bar
	case percent < at[0]:
		return draw.Green, draw.BarGreen
	case percent < at[1]:
		return draw.Yellow, draw.BarYellow
	}
	return draw.Red, draw.BarRed
}
