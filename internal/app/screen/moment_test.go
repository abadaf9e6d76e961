package screen

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/recording"
)

func TestMomentOf(t *testing.T) {
	began := time.Date(2026, 11, 20, 23, 50, 7, 500, time.UTC)
	r := &recording.Reader{Frames: []recording.Frame{{At: began}}, End: began.Add(30 * time.Minute)}
	for at, want := range map[string]time.Time{
		"23:55":               began.Add(4*time.Minute + 53*time.Second - 500),
		"23:55:01":            began.Add(4*time.Minute + 54*time.Second - 500),
		"00:10":               began.Add(19*time.Minute + 53*time.Second - 500),
		"23:50:07":            began,
		"10m":                 began.Add(10 * time.Minute),
		"-10m":                began.Add(20 * time.Minute),
		"2026-11-21T00:10":    began.Add(19*time.Minute + 53*time.Second - 500),
		"2026-11-21 00:10:00": began.Add(19*time.Minute + 53*time.Second - 500),
	} {
		if got, err := momentOf(r, at); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v; want %v", at, got, err, want)
		}
	}
	for _, at := range []string{"12:00", "-2h", "31m", "2026-11-20T20:00", "", "soon"} {
		if got, err := momentOf(r, at); err == nil {
			t.Errorf("%q: %v", at, got)
		}
	}
}
