package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// halfAnHour is how long memory must grow before there is a forecast.
func halfAnHour(*Thresholds) time.Duration { return 30 * time.Minute }

// memoryFills holds if the memory of a GPU grows and will be full. memoryEnds holds if that is soon.
func memoryFills(s ruleSubject) bool {
	_, fills := s.GPU.Memory.Trend(s.GPU.Float(metric.MemoryTotal))
	return fills
}

func memoryEnds(s ruleSubject) bool {
	trend, fills := s.GPU.Memory.Trend(s.GPU.Float(metric.MemoryTotal))
	return fills && trend.Full <= s.limits.durationOf(MemoryFullMinutes)
}
