package probe

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// origin is the clocks at the start. From it on the runtime's own reading of CLOCK_MONOTONIC, which is no system call, moves them all:
// the two clocks differ by the time that the machine slept, and compute nodes do not.
var origin = Moment{Mono: clock(unix.CLOCK_MONOTONIC), Boot: clock(unix.CLOCK_BOOTTIME), Wall: time.Now()}

func now() Moment {
	wall := time.Now()
	since := wall.Sub(origin.Wall)
	return Moment{Mono: origin.Mono + since, Boot: origin.Boot + since, Wall: wall}
}

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0 // never for these two clocks
	}
	return time.Duration(ts.Nano())
}

// readHead reads the beginning of a file with one system call: File.ReadAt takes a second one to see the end. Where /proc is a file system of
// its own (lxcfs) a read may hang. The scheduler must know of it, since the watchdog needs the one processor that there is: so this is no
// raw system call.
func readHead(f *os.File, to []byte) (int, error) {
	for {
		n, err := unix.Pread(int(f.Fd()), to, 0)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// kernel is the release of the running kernel, as uname -r.
func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// kernelBeat paces reports by a timer of the kernel's, read through the poller. The Go runtime's own timers cost a probe more than its
// reports do: its monitor thread wakes up with them, some milliseconds early, and looks around every 20 µs until they have fired.
func kernelBeat() Beat {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return tickerBeat()
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
			default: // the last one has not been taken yet: a tick is lost, as with a time.Ticker
			}
		}
	}()
	set := func(d time.Duration) {
		every := unix.NsecToTimespec(d.Nanoseconds())
		_ = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil) // fails only for times that are none
	}
	return Beat{C: c, Reset: set, Stop: func() { set(0) }}
}
