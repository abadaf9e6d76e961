package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// History is the past of one GPU, in time bins. All lists have the same length, oldest first, and end with the same
// bin.
type History struct {
	BinSeconds float64           `json:"bin_seconds"` // duration of a bin
	Newest     time.Time         `json:"newest"`      // when the newest bin begins
	Metrics    map[Metric]Series `json:"metrics"`     // those that have had a value
	// all reasons seen in each bin; nil: not known
	ThrottleReasons [][]string `json:"throttle_reasons,omitempty"`
}

// Series are means over time bins. NaN is a bin without a value; it is null in JSON.
type Series []float64

// MarshalJSON writes the values, null for NaN.
func (s Series) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range s {
		if i > 0 {
			out = append(out, ',')
		}
		if v != v {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, v, 'f', -1, 64)
		}
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads the values, NaN for null.
func (s *Series) UnmarshalJSON(text []byte) error {
	var read []*float64
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*s = make(Series, len(read))
	for i, v := range read {
		if (*s)[i] = math.NaN(); v != nil {
			(*s)[i] = *v
		}
	}
	return nil
}
