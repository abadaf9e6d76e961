package words

import (
	"testing"
	"time"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 28 * time.Second: "28s", 59600 * time.Millisecond: "1m", 303 * time.Second: "5m 3s",
		2 * time.Hour: "2h", 72 * time.Minute: "1h 12m", 52*time.Hour + time.Minute: "2d 4h",
	} {
		if got := Short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
