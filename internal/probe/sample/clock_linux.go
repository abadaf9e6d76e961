package sample

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// clockOrigin is the time at the start. The runtime's own reading of CLOCK_MONOTONIC, which needs no system call,
// advances all three clocks from there. CLOCK_BOOTTIME differs from CLOCK_MONOTONIC only while the machine sleeps, and
// compute nodes do not sleep.
var clockOrigin = Moment{Mono: readClock(unix.CLOCK_MONOTONIC), Boot: readClock(unix.CLOCK_BOOTTIME), Wall: time.Now()}

// Now reads the clocks.
func Now() Moment {
	wall := time.Now()
	since := wall.Sub(clockOrigin.Wall)
	return Moment{Mono: clockOrigin.Mono + since, Boot: clockOrigin.Boot + since, Wall: wall}
}

func readClock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0 // never for these two clocks
	}
	return time.Duration(ts.Nano())
}

// KernelBeat is a kernel timer, read through the runtime's poller. The Go runtime's own timers cost a probe more than
// its reports: the monitor thread wakes up some milliseconds before they fire, and then every 20 µs until they have.
func KernelBeat() Beat {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return NewBeat()
	}
	c := make(chan time.Time, 1)
	go func() {
		f := os.NewFile(uintptr(fd), "timerfd")
		var expirations [8]byte
		for {
			if _, err := f.Read(expirations[:]); err != nil {
				return
			}
			select {
			case c <- time.Now():
			default: // the last tick was not received yet: this tick is dropped, as time.Ticker does
			}
		}
	}()
	set := func(d time.Duration) {
		every := unix.NsecToTimespec(d.Nanoseconds())
		// this fails only with invalid times
		_ = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil)
	}
	return Beat{C: c, Reset: set, Stop: func() { set(0) }}
}
