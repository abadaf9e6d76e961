package cli

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
)

// intervals are the arguments POLL and DISPLAY.
var intervals = []struct{ name, key string }{{"POLL", "poll.interval"}, {"DISPLAY", "display.interval"}}

// AtMostIntervals checks the number of arguments.
func AtMostIntervals(args []string) error {
	if len(args) > len(intervals) {
		return fmt.Errorf("too many arguments (%d): expected at most POLL and DISPLAY, in seconds", len(args))
	}
	return nil
}

// Intervals returns POLL and DISPLAY, as many as are given.
func Intervals(args []string) []config.Word {
	var words []config.Word
	for i, arg := range args {
		words = append(words, config.Word{Name: intervals[i].name, Text: arg})
	}
	return words
}

// Interval is the flag for POLL in commands that have no arguments.
const Interval = "interval"

// ByInterval returns POLL from the text of --interval. A value that the user has not changed counts as the default.
func (p *Program) ByInterval(text string, least time.Duration) ([]config.Word, error) {
	low, high := least.Seconds(), config.MaxPoll.Seconds()
	v, err := strconv.ParseFloat(text, 64)
	if d, isTime := time.ParseDuration(text); err != nil && isTime == nil {
		v, err = d.Seconds(), nil
	}
	if err != nil || !(v >= low && v <= high) {
		return nil, fmt.Errorf("--%s must be from %v to %v seconds, such as 5 or 30s, not %q", Interval, low, high,
			text)
	}
	name := "--" + Interval
	if !p.flags.Changed(Interval) {
		name += ", by default"
	}
	return []config.Word{{Name: name, Text: text}}, nil
}

// NoArguments refuses arguments.
func NoArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: this command takes flags only", args[0])
	}
	return nil
}

// Bytes reads an amount of memory, with a unit or in bytes.
func Bytes(text string) (float64, error) {
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		return float64(v), nil
	}
	v, err := filter.Number(field.Bytes, text)
	if err == nil && v < 0 {
		err = errors.New("negative")
	}
	return v, err
}
