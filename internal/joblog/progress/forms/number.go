package forms

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseNumber reads a number as programs print it: with commas between thousands, an exponent, or a letter for its
// size. All letters are in lower case.
func parseNumber(s string) (float64, bool) {
	scale := 1.0
	if n := len(s); n > 1 {
		if i := strings.IndexByte("kmgt", s[n-1]); i >= 0 {
			scale, s = math.Pow(1000, float64(i+1)), s[:n-1]
		}
	}
	if strings.IndexByte(s, ',') >= 0 {
		if !thousands.MatchString(s) {
			return 0, false
		}
		s = strings.ReplaceAll(s, ",", "")
	}
	if strings.ContainsAny(s, "xp_") { // no hexadecimal number
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v * scale, err == nil
}

var thousands = regexp.MustCompile(`^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)

// parseSpan reads a time that is left: 1:02:03, "1 day, 3:57:05", 2h14m, "1m 48s", 9s, 15 seconds.
func parseSpan(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	m := spanForm.FindStringSubmatch(s)
	if m == nil || s == "" {
		return 0, false
	}
	days, _ := strconv.ParseFloat("0"+m[1], 64)
	seconds := days * 24 * 3600
	if m[2] != "" {
		at := 0.0
		for part := range strings.SplitSeq(m[2], ":") {
			n, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return 0, false
			}
			at = at*60 + n
		}
		return spanOf(seconds + at)
	}
	for i, scale := range []float64{3600, 60, 1} {
		n, _ := strconv.ParseFloat("0"+m[3+i], 64)
		seconds += n * scale
	}
	return spanOf(seconds)
}

// spanForm has days, and h:mm:ss or hours, minutes, seconds. A lone number has no unit, and is none.
var spanForm = regexp.MustCompile(`^(?:(\d+) ?(?:d|days?)(?:,? *|$))?(?:(\d+(?::\d\d){1,2}(?:\.\d+)?)|` +
	`(?:(\d+(?:\.\d+)?) ?(?:h|hrs?|hours?)(?:,? *|$))?(?:(\d+(?:\.\d+)?) ?(?:m|mins?|minutes?)(?:,? *|$))?` +
	`(?:(\d+(?:\.\d+)?) ?(?:s|secs?|seconds?))?)?$`)

// longest is the longest time left that is believed.
const longest = 10 * 365 * 24 * time.Hour

func spanOf(seconds float64) (time.Duration, bool) {
	if math.IsNaN(seconds) || seconds < 0 || seconds > longest.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// isCount reports whether a number counts something.
func isCount(v float64) bool { return v >= 0 && v < 1<<53 && v == math.Trunc(v) }

// stamps are how loggers write the time of a line.
var stamps = []struct {
	is     *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`\b\d{4}[-/]\d\d[-/]\d\d[ t]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`), "2006-01-02 15:04:05"},
	{regexp.MustCompile(`\b\d\d/\d\d/\d{4} \d\d:\d\d:\d\d`), "01/02/2006 15:04:05"},
	{regexp.MustCompile(`\b\d\d/\d\d \d\d:\d\d:\d\d`), "01/02 15:04:05"},
	{regexp.MustCompile(`^\W?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b`), "15:04:05"},
}

// lineTime returns the time that a line says, in seconds since some moment: only differences count.
func lineTime(line string) (seconds float64, kind byte, is bool) {
	if strings.Count(line, ":") < 2 {
		return 0, 0, false
	}
	for i, s := range stamps {
		found := s.is.FindString(line)
		if found == "" {
			continue
		}
		if i == 0 {
			found = strings.ReplaceAll(found[:10], "/", "-") + " " + strings.Replace(found[11:], ",", ".", 1)
		}
		if at, err := time.Parse(s.layout, strings.TrimLeft(found, "[( ")); err == nil {
			return float64(at.UnixNano()) / 1e9, byte(i + 1), true
		}
	}
	return 0, 0, false
}

// leadingSpan is a time that is left at the beginning of a text.
var leadingSpan = regexp.MustCompile(`^(?:\d+ ?d(?:ays?)?\b,? ?)?(?:\d+(?::\d\d){1,2}(?:\.\d+)?|` +
	`(?:\d+(?:\.\d+)? ?h(?:(?:ou)?rs?\b)? ?)?(?:\d+(?:\.\d+)? ?m(?:in(?:ute)?s?\b)? ?)?` +
	`(?:\d+(?:\.\d+)? ?s(?:ec(?:ond)?s?)?\b)?)`)
