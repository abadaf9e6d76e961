package metric

import (
	"bytes"
	"encoding/json"
	"math"
	mathbits "math/bits"
	"strconv"
	"time"
)

// Values holds metrics of one scope: of a GPU, or of a node. A metric may be absent, which is not the same as 0. The
// zero value is empty. Two Values are equal (==) when they hold the same metrics and values.
type Values struct {
	known [(count + 63) / 64]uint64
	v     [max(gpus, count-gpus)]float64 // by place; 0 where absent
}

// place returns where a Values has the metric. Metrics of GPUs and those of nodes are never in the same Values, so they
// share the places: a login side holds tens of thousands of Values.
func (id ID) place() ID {
	if id < gpus {
		return id
	}
	return id - gpus
}

// Make returns Values with these metrics.
func Make(numbers map[ID]float64) Values {
	var v Values
	for id, x := range numbers {
		v.Set(id, x)
	}
	return v
}

// Get returns a value and whether it is present.
func (v *Values) Get(id ID) (float64, bool) {
	if !v.Has(id) {
		return 0, false
	}
	return v.v[id.place()], true
}

// Has reports whether a metric is present.
func (v *Values) Has(id ID) bool { return v.known[id/64]>>(id%64)&1 != 0 }

// Empty reports whether no metric is present.
func (v *Values) Empty() bool { return v.known == [len(v.known)]uint64{} }

// Float returns a value, or NaN if it is absent.
func (v *Values) Float(id ID) float64 {
	if !v.Has(id) {
		return math.NaN()
	}
	return v.v[id.place()]
}

// Set sets a value, rounded to the decimals of its row. NaN, or a value outside the range of the unit, makes the metric
// absent. A number from a driver must first be checked with Plausible.
func (v *Values) Set(id ID, x float64) {
	row := &table[id]
	if low, high := row.Unit.Range(); !(x >= low && x <= high) { // also true for NaN
		v.v[id.place()] = 0
		v.known[id/64] &^= 1 << (id % 64)
		return
	}
	v.v[id.place()] = Round(x, row.Decimals)
	v.known[id/64] |= 1 << (id % 64)
}

// Round rounds to decimals. The result prints with no more digits: every output rounds computed numbers with it, and
// durations with InSeconds.
func Round(x float64, decimals int) float64 {
	if decimals == 0 {
		return math.Round(x)
	}
	scale := math.Pow10(decimals)
	return math.Round(x*scale) / scale
}

// Append appends the values as a JSON object, in the order of the table.
func (v *Values) Append(to []byte) []byte { return v.AppendChanged(to, &Values{}) }

// AppendChanged is Append without the values that base also has.
func (v *Values) AppendChanged(to []byte, base *Values) []byte {
	to = append(to, '{')
	first := true
	for id := range count {
		if !v.hasNewValue(id, base) {
			continue
		}
		if !first {
			to = append(to, ',')
		}
		first = false
		to = append(append(append(to, '"'), table[id].Key...), `":`...)
		to = AppendNumber(to, v.v[id.place()])
	}
	return append(to, '}')
}

// hasNewValue reports whether v has a value that base does not have.
func (v *Values) hasNewValue(id ID, base *Values) bool {
	return v.Has(id) && !(base.Has(id) && base.v[id.place()] == v.v[id.place()])
}

// Gone lists the keys of the metrics that base has and v lacks.
func (v *Values) Gone(base *Values) (keys []string) {
	for id := range count {
		if base.Has(id) && !v.Has(id) {
			keys = append(keys, table[id].Key)
		}
	}
	return keys
}

// Lacks reports whether v lacks a metric that base has.
func (v *Values) Lacks(base *Values) bool {
	for word, known := range base.known {
		if known&^v.known[word] != 0 {
			return true
		}
	}
	return false
}

// Inherit adds the values of base that v lacks, except those of the keys in gone. With the result of Gone, it undoes
// AppendChanged or AppendColumns.
func (v *Values) Inherit(base *Values, gone []string, s Scope) {
	left := base.known
	for _, key := range gone {
		if id, known := byKey[s][key]; known {
			left[id/64] &^= 1 << (id % 64)
		}
	}
	for word, bits := range left {
		for bits &^= v.known[word]; bits != 0; bits &= bits - 1 {
			at := ID(64*word + mathbits.TrailingZeros64(bits)).place()
			v.v[at] = base.v[at]
		}
		v.known[word] |= left[word]
	}
}

// InSeconds returns a duration in seconds, to milliseconds. time.Duration.Seconds adds the whole seconds to the rest,
// and returns 1.2469999999999999 for 1.247.
func InSeconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond).Milliseconds()) / 1000
}

// AppendNumber appends a number as JSON and Prometheus write it: in full, without an exponent.
func AppendNumber(to []byte, x float64) []byte {
	if n := int64(x); float64(n) == x {
		return strconv.AppendInt(to, n, 10)
	}
	return strconv.AppendFloat(to, x, 'f', -1, 64)
}

// exactDigits is a number of digits for which every integer is below exact.
const exactDigits = 15

// MarshalJSON implements json.Marshaler.
func (v Values) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// UnmarshalJSON parses metrics of a GPU.
func (v *Values) UnmarshalJSON(text []byte) error { return v.Parse(text, GPU) }

func (v Values) String() string { return string(v.Append(nil)) }

// Parse reads a JSON object with metrics of one scope. It ignores unknown keys and implausible values.
func (v *Values) Parse(text []byte, s Scope) error {
	*v = Values{}
	if v.parsePlain(text, s) {
		return nil
	}
	*v = Values{}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for key, raw := range members {
		if x, err := strconv.ParseFloat(string(raw), 64); err == nil {
			v.setKey([]byte(key), x, s)
		}
	}
	return nil
}

// parsePlain parses output of Append: only numbers, no spaces. It returns false for anything else.
func (v *Values) parsePlain(text []byte, s Scope) bool {
	text, ok := bytes.CutPrefix(text, []byte{'{'})
	if !ok || string(text) == "}" {
		return ok
	}
	for len(text) > 0 && text[0] == '"' {
		end := bytes.IndexByte(text[1:], '"') + 1
		if end < 1 || end+2 >= len(text) || text[end+1] != ':' {
			return false
		}
		x, n, ok := parseNumber(text[end+2:])
		if !ok {
			return false
		}
		v.setKey(text[1:end], x, s)
		stop := end + 2 + n
		if text[stop] == '}' {
			return stop+1 == len(text)
		}
		text = text[stop+1:]
	}
	return false
}

// parseNumber parses the number before the next comma, closing brace or bracket, and returns its length n.
func parseNumber(text []byte) (x float64, n int, ok bool) {
	whole := uint64(0)
	digits := true
	for n < len(text) && text[n] != ',' && text[n] != '}' && text[n] != ']' {
		digits = digits && text[n] >= '0' && text[n] <= '9'
		whole = 10*whole + uint64(text[n]-'0')
		n++
	}
	if n == 0 || n == len(text) {
		return 0, 0, false
	}
	if digits && n <= exactDigits {
		return float64(whole), n, true
	}
	x, err := strconv.ParseFloat(string(text[:n]), 64)
	return x, n, err == nil
}

func (v *Values) setKey(key []byte, x float64, s Scope) {
	if id, known := byKey[s][string(key)]; known {
		v.Set(id, x)
	}
}

// byKey maps the keys of each scope to metrics.
var byKey = func() (keys [2]map[string]ID) {
	for _, s := range []Scope{GPU, Host} {
		keys[s] = map[string]ID{}
		for id := range All(s) {
			keys[s][table[id].Key] = id
		}
	}
	return keys
}()
