package poller

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The log names what is asked of a process: a signal, or another schedule.
func TestLogNamesSchedule(t *testing.T) {
	for want, s := range map[string]wire.Signal{
		"TERM": {Number: 15}, "40": {Number: 40}, "nice value 10": {Schedule: &wire.Schedule{Nice: new(10)}},
		"CPUs 0-3": {Schedule: &wire.Schedule{CPUs: "0-3"}},
	} {
		if got := nameOf(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
