package probe

import (
	"time"

	"golang.org/x/sys/unix"
)

func now() Moment {
	return Moment{Mono: clock(unix.CLOCK_MONOTONIC), Boot: clock(unix.CLOCK_BOOTTIME), Wall: time.Now()}
}

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0 // never for these two clocks
	}
	return time.Duration(ts.Nano())
}

// kernel is the release of the running kernel, as uname -r.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
