package draw

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

const gib = 1 << 30

// MiB is bytes in whole MiB, as nvidia-smi shows them.
func MiB(bytes uint64) string { return strconv.FormatUint(bytes>>20, 10) }

// GiB is bytes in GiB: one decimal below 100, none from there.
func GiB(bytes uint64) string { return formatShort(float64(bytes) / gib) }

// Size is bytes in GiB with the unit, or in MiB where GiB would be 0.0: "71.2", "GiB".
func Size(bytes uint64) (size, unit string) {
	if size = GiB(bytes); size == "0.0" {
		return MiB(bytes), "MiB"
	}
	return size, "GiB"
}

// Share is used and total in the same unit: GiB, or TiB from 10 000 GiB.
func Share(used, total uint64) (now, most, unit string) {
	if total >= 10_000*gib {
		return formatShort(float64(used) / gib / 1024), formatShort(float64(total) / gib / 1024), "TiB"
	}
	return GiB(used), GiB(total), "GiB"
}

// KW is watts in kW: one decimal below 100 kW, none from there.
func KW(watts float64) string { return formatShort(watts / 1000) }

func formatShort(v float64) string {
	if v < 99.95 {
		return One(v)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Whole is v rounded, without decimals.
func Whole(v float64) string { return strconv.Itoa(int(math.Round(v))) }

// One is v with one decimal.
func One(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// Speed is bytes per second in a readable unit (powers of 1000): "180 MB/s", "1.2 GB/s".
func Speed(v float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}
	at := 0
	for ; v >= 999.5 && at < len(units)-1; at++ {
		v /= 1000
	}
	if at > 0 && v < 9.95 {
		return One(v) + " " + units[at]
	}
	return Whole(v) + " " + units[at]
}

// Age is a duration in one unit below an hour ("40s", "12m"), then in two ("3h10m", "2d4h") if they fit into five
// columns.
func Age(d time.Duration) string {
	s := max(int(d/time.Second), 0)
	m, h, days := s/60, s/3600, s/86400
	switch {
	case m < 1:
		return strconv.Itoa(s) + "s"
	case h < 1:
		return strconv.Itoa(m) + "m"
	case h < 10 && m%60 > 0:
		return fmt.Sprintf("%dh%02dm", h, m%60)
	case days < 1:
		return strconv.Itoa(h) + "h"
	case days < 10 && h%24 > 0:
		return fmt.Sprintf("%dd%dh", days, h%24)
	}
	return strconv.Itoa(days) + "d"
}

// Took is the duration of something finished: "2 ms", "1.4 s", then as Age.
func Took(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return One(d.Seconds()) + " s"
	}
	return Age(d)
}

// JobTime is a duration as SLURM writes it: "8:03:12", "1-03:22:40".
func JobTime(d time.Duration) string {
	s := max(int(d/time.Second), 0)
	if days := s / 86400; days > 0 {
		return fmt.Sprintf("%d-%02d:%02d:%02d", days, s/3600%24, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
