package part

import (
	"math"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// The classic colors have two thresholds, which can be set, and the memory has its own.
func TestLevels(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name           string
		colors         Colors
		value          float64
		number, memory draw.Role
	}{
		{"without the classic colors", Colors{Levels: Levels{1, 2}, MemoryLevels: Levels{1, 2}}, 99, draw.Text,
			draw.Text},
		{"not known", Colors{Classic: true, MemoryLevels: Levels{1, 2}}, nan, draw.Text, draw.Text},
		{"below the usual", Colors{Classic: true}, 59.9, draw.Green, draw.Green},
		{"at the first usual", Colors{Classic: true}, 60, draw.Yellow, draw.Yellow},
		{"at the second usual", Colors{Classic: true}, 85, draw.Red, draw.Red},
		{"below", Colors{Classic: true, Levels: Levels{10, 75}, MemoryLevels: Levels{10, 80}}, 9, draw.Green,
			draw.Green},
		{"between", Colors{Classic: true, Levels: Levels{10, 75}, MemoryLevels: Levels{10, 80}}, 75, draw.Red,
			draw.Yellow},
		{"above", Colors{Classic: true, Levels: Levels{10, 75}, MemoryLevels: Levels{10, 80}}, 80, draw.Red, draw.Red},
	} {
		number, bar := test.colors.Level(test.value, draw.Text, draw.BarData)
		memory, memoryBar := test.colors.MemoryLevel(test.value, draw.Text, draw.BarMem)
		bars := map[draw.Role]draw.Role{draw.Green: draw.BarGreen, draw.Yellow: draw.BarYellow, draw.Red: draw.BarRed}
		bars[draw.Text] = draw.BarData
		if number != test.number || bar != bars[number] {
			t.Errorf("%s: utilization has the roles %d and %d", test.name, number, bar)
		}
		bars[draw.Text] = draw.BarMem
		if memory != test.memory || memoryBar != bars[memory] {
			t.Errorf("%s: memory has the roles %d and %d", test.name, memory, memoryBar)
		}
	}
}
