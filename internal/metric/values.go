package metric

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// Values is a set of numbers. A number that is absent is not known: it is never 0. The zero value knows nothing. Two Values are equal
// (==) when they know the same.
type Values struct {
	known [(count + 63) / 64]uint64
	v     [count]float64 // 0 where it is not known
}

// Make makes Values of some numbers.
func Make(numbers map[ID]float64) Values {
	var v Values
	for id, x := range numbers {
		v.Set(id, x)
	}
	return v
}

// Get returns a number, and whether it is known.
func (v *Values) Get(id ID) (float64, bool) { return v.v[id], v.Has(id) }

// Has says whether a number is known.
func (v *Values) Has(id ID) bool { return v.known[id/64]>>(id%64)&1 != 0 }

// Float is a number, or NaN when it is not known.
func (v *Values) Float(id ID) float64 {
	if !v.Has(id) {
		return math.NaN()
	}
	return v.v[id]
}

// Set sets a number, rounded to the row's decimals. What no sensor can have read (NaN, or beyond the range of the row's unit) makes the
// number absent.
func (v *Values) Set(id ID, x float64) {
	row := &table[id]
	if low, high := row.Unit.Range(); !(x >= low && x <= high) { // also when x is NaN
		v.v[id] = 0
		v.known[id/64] &^= 1 << (id % 64)
		return
	}
	v.v[id] = round(x, row.Decimals)
	v.known[id/64] |= 1 << (id % 64)
}

func round(x float64, decimals int) float64 {
	if decimals == 0 {
		return math.Round(x)
	}
	scale := math.Pow10(decimals)
	return math.Round(x*scale) / scale
}

// Append writes the numbers as a JSON object, in the table's order.
func (v *Values) Append(to []byte) []byte {
	to = append(to, '{')
	first := true
	for id := range count {
		if !v.Has(id) {
			continue
		}
		if !first {
			to = append(to, ',')
		}
		first = false
		to = append(append(append(to, '"'), table[id].Key...), `":`...)
		to = appendNumber(to, v.v[id])
	}
	return append(to, '}')
}

func appendNumber(to []byte, x float64) []byte {
	if n := int64(x); float64(n) == x {
		return strconv.AppendInt(to, n, 10)
	}
	return strconv.AppendFloat(to, x, 'f', -1, 64)
}

// exactDigits is how many digits a whole number below exact can have at least.
const exactDigits = 15

// MarshalJSON is Append.
func (v Values) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// UnmarshalJSON is Parse with the scope of a GPU.
func (v *Values) UnmarshalJSON(text []byte) error { return v.Parse(text, GPU) }

func (v Values) String() string { return string(v.Append(nil)) }

// Parse reads a JSON object of numbers of one scope. Keys that are no number's of that scope are passed over, and so is what Set does
// not take.
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

// parsePlain reads what Append writes: numbers alone, without blanks. It gives up at anything else.
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

// parseNumber reads the number before the next comma or closing brace, which is n bytes on.
func parseNumber(text []byte) (x float64, n int, ok bool) {
	whole := uint64(0)
	digits := true
	for n < len(text) && text[n] != ',' && text[n] != '}' {
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

// byKey finds the numbers of each scope.
var byKey = func() (keys [2]map[string]ID) {
	for _, s := range []Scope{GPU, Host} {
		keys[s] = map[string]ID{}
		for id := range All(s) {
			keys[s][table[id].Key] = id
		}
	}
	return keys
}()
