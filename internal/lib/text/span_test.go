package text

import (
	"testing"
	"time"
)

// No duration is longer in words than it was.
func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 28 * time.Second: "28s", 59600 * time.Millisecond: "59s", time.Minute: "1m",
		90 * time.Second: "1m 30s", 119999 * time.Millisecond: "1m 59s", 303 * time.Second: "5m 3s",
		2*time.Hour - 1: "1h 59m", 2 * time.Hour: "2h", 72 * time.Minute: "1h 12m", time.Hour + 59*time.Second: "1h",
		52*time.Hour + time.Minute: "2d 4h", 48 * time.Hour: "2d",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
