package export

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// newHistory returns the data of a GPU's graphs; nil: there is none yet.
func newHistory(s *cluster.Snapshot, g *cluster.GPU) *schema.History {
	newest, ok := g.History.Newest()
	if !ok {
		return nil
	}
	oldest, _ := g.History.Oldest()
	width := s.Bin()
	h := &schema.History{BinSeconds: width.Seconds(), Newest: time.Unix(0, newest*int64(width)).UTC(),
		Metrics: map[schema.Metric]schema.Series{}}
	for _, id := range metric.Kept {
		if !g.History.Has(id) {
			continue
		}
		samples := trend.Last(g, id, int(newest-oldest)+1)
		if id == metric.Throttle {
			h.ThrottleReasons = throttleReasons(samples)
		} else {
			h.Metrics[schema.Metric(id.Row().Key)] = roundSeries(samples, id.Row().Decimals)
		}
	}
	return h
}

// roundSeries rounds means as the table of metrics rounds values, but to one more decimal.
func roundSeries(samples []float32, decimals int) schema.Series {
	list := make(schema.Series, len(samples))
	for i, v := range samples {
		list[i] = metric.Round(float64(v), decimals+1)
	}
	return list
}

// throttleReasons are the throttle reasons of each bin, nil where they are unknown.
func throttleReasons(samples []float32) [][]string {
	list := make([][]string, len(samples))
	for i, v := range samples {
		if v == v {
			list[i] = wire.ReasonNames(uint64(v))
		}
	}
	return list
}
