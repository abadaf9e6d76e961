package command

import "time"

// ParseTime reads a time as SLURM's commands print it here: with SLURM_TIME_FORMAT=standard, in UTC; zero for N/A,
// NONE, Unknown.
func ParseTime(s string) time.Time {
	t, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		return time.Time{}
	}
	return t.Local() // screens print local time
}
