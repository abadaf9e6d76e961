package filter

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// units are the units that a number of a type may have, in lower case, each as a multiple of the type's own unit. A
// number without a unit has the unit "". Bytes and times need a unit, since a plain number could mean several things;
// only 0 needs none.
var units = [...]map[string]float64{
	field.Text:           nil,
	field.Count:          {"": 1},
	field.Percent:        {"": 1, "%": 1},
	field.Bytes:          amounts,
	field.BytesPerSecond: amounts, // with or without "/s" at the end
	field.Watts:          {"": 1, "w": 1, "kw": 1e3},
	field.Celsius:        {"": 1, "c": 1, "°c": 1, "°": 1},
	field.Seconds:        {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400},
}

// amounts are the units of bytes.
var amounts = map[string]float64{
	"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// forms describe the form of a number of a type.
var forms = [...]string{
	field.Count: "a whole number", field.Percent: "a percentage, such as 50",
	field.Bytes: "an amount of memory with its unit, such as 10GiB", field.Watts: "a power, such as 300W",
	field.BytesPerSecond: "a rate with its unit, such as 100MB/s",
	field.Celsius:        "a temperature, such as 80", field.Seconds: "a time with its unit, such as 2h or 1d4h",
}

var (
	amount  = regexp.MustCompile(`^([+-]?[0-9]*\.?[0-9]+)([^0-9]*)$`)
	lengths = regexp.MustCompile(`^(?:[0-9]*\.?[0-9]+[a-z]+)+$`)
	length  = regexp.MustCompile(`([0-9]*\.?[0-9]+)([a-z]+)`)
	clock   = regexp.MustCompile(`^(?:([0-9]+)-)?([0-9]+):([0-5][0-9]):([0-5][0-9])$`) // as SLURM writes times
)

var errForm = errors.New("not a number of this type")

// Number reads a value of a type, in the form used by filters.
func Number(t field.Unit, text string) (float64, error) { return parseNumber(t, text) }

// parseNumber reads a value of a type.
func parseNumber(t field.Unit, text string) (float64, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if t == field.Seconds {
		return parseSeconds(text)
	}
	if t == field.BytesPerSecond {
		text = strings.TrimSuffix(text, "/s")
	}
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return 0, errForm
	}
	v, err := strconv.ParseFloat(m[1], 64)
	scale, known := units[t][strings.TrimSpace(m[2])]
	if !known && v == 0 && m[2] == "" {
		scale, known = 1, true
	}
	if err != nil || !known || math.IsInf(v*scale, 0) || t == field.Count && v != math.Trunc(v) {
		return 0, errForm
	}
	return v * scale, nil
}

// parseSeconds reads a time: "2h", "1d4h", or "1-03:22:40" as SLURM writes it.
func parseSeconds(text string) (float64, error) {
	if m := clock.FindStringSubmatch(text); m != nil {
		total := 0.0
		for i, scale := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
			n, _ := strconv.ParseFloat("0"+m[i+1], 64)
			total += n * scale.Seconds()
		}
		return total, nil
	}
	if text == "0" {
		return 0, nil
	}
	if !lengths.MatchString(text) {
		return 0, errForm
	}
	total := 0.0
	for _, m := range length.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(m[1], 64)
		scale, known := units[field.Seconds][m[2]]
		if err != nil || !known {
			return 0, errForm
		}
		total += n * scale
	}
	return total, nil
}
