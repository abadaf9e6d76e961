package command

import (
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time as SLURM's commands print it here: with SLURM_TIME_FORMAT=standard, in UTC; zero for N/A,
// NONE, Unknown.
func ParseTime(s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		return time.Time{}
	}
	return t.Local() // screens print local time
}

// ParseLimit reads a time limit: "5:00", "1:00:00", "2-12:00:00"; 0 for UNLIMITED, NOT_SET, INVALID.
func ParseLimit(s string) time.Duration {
	days, clock, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, clock = "0", s
	}
	total, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0
	}
	parts := strings.Split(clock, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0
	}
	seconds := uint64(0)
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return 0
		}
		seconds = seconds*60 + n
	}
	if seconds += total * 24 * 3600; seconds > uint64(MaxLimit/time.Second) {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// MaxLimit is longer than any time limit in SLURM; larger numbers are its markers for "none".
const MaxLimit = 100 * 365 * 24 * time.Hour
