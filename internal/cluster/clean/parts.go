package clean

import (
	"maps"
	"math"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// parts are the metrics of a GPU that are a part of another metric.
var parts = func() (ids []metric.ID) {
	for id := range metric.All(metric.GPU) {
		if id.Row().Of != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}()

// MoreThanWhole is why a value is absent if it exceeds the whole that it is a part of.
const MoreThanWhole = "implausible value: more than the total"

// Parts drops the values of a GPU that exceed the whole they are a part of, such as more used memory than memory. The
// card then says why they are absent.
func Parts(card *wire.Card, g *wire.GPU) (*wire.Card, *wire.GPU) {
	for _, id := range parts {
		whole, known := card.Values.Get(id.Row().Of)
		if part, has := g.Values.Get(id); !known || !has || part <= whole {
			continue
		}
		c, less := *card, *g
		c.Absent = maps.Clone(card.Absent)
		if c.Absent == nil {
			c.Absent = map[string][]string{}
		}
		c.Absent[MoreThanWhole] = append(append([]string{}, c.Absent[MoreThanWhole]...), id.String())
		less.Values.Set(id, math.NaN())
		card, g = &c, &less
	}
	return card, g
}

// memoryOf drops the GPU memory of a process that exceeds the memory of its GPU.
func memoryOf(p *wire.Process, cards []wire.Card) {
	for i := range cards {
		c := &cards[i]
		if total, known := c.Values.Get(metric.MemoryTotal); known && c.Index == p.GPU && p.GPUMemory != nil &&
			float64(*p.GPUMemory) > total {
			p.GPUMemory = nil
		}
	}
}
