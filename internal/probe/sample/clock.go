package sample

import "time"

// Beat is a ticker: C has no tick before Reset and after Stop.
type Beat struct {
	C     <-chan time.Time
	Reset func(time.Duration)
	Stop  func()
}

// NewBeat returns a Beat that is a time.Ticker.
func NewBeat() Beat {
	t := time.NewTicker(time.Hour)
	t.Stop()
	return Beat{C: t.C, Reset: t.Reset, Stop: t.Stop}
}

// Moment is one reading of the clocks.
type Moment struct {
	Mono time.Duration // CLOCK_MONOTONIC
	Boot time.Duration // CLOCK_BOOTTIME: the time since boot; 0 if unknown
	Wall time.Time
}
