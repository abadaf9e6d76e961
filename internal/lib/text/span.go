package text

import (
	"fmt"
	"time"
)

// Span is a duration with its two largest units: "28s", "1m 30s", "1h 12m", "2d 4h". It never rounds up: a job that ran
// for 119 s has not run for 2 minutes.
func Span(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	units := []struct {
		name string
		of   int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	for i, u := range units[:3] {
		if s < u.of {
			continue
		}
		if rest := s % u.of / units[i+1].of; rest > 0 {
			return fmt.Sprintf("%d%s %d%s", s/u.of, u.name, rest, units[i+1].name)
		}
		return fmt.Sprintf("%d%s", s/u.of, u.name)
	}
	return fmt.Sprintf("%ds", s)
}
