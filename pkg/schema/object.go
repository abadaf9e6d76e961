package schema

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// object is the members of a JSON object, in order, without its braces.
type object []byte

// addMember adds a member. It adds none for an empty string, for false, or for a value without a JSON form, such as
// NaN.
func (o object) addMember(key string, value any) object {
	if value == "" || value == false {
		return o
	}
	before := o
	if len(o) > 0 {
		o = append(o, ',')
	}
	o = append(strconv.AppendQuote(o, key), ':')
	if v, whole := asInt(value); whole { // like most members; one encoder per member takes half the time of a document
		return strconv.AppendInt(o, v, 10)
	}
	text := bytes.NewBuffer(o)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return before
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'})
}

// asInt returns a whole number that a float64 holds exactly.
func asInt(value any) (v int64, whole bool) {
	switch x := value.(type) {
	case int:
		return int64(x), true
	case float64:
		v = int64(x)
		return v, float64(v) == x && v > -1<<53 && v < 1<<53
	}
	return 0, false
}

// json is the object with its braces.
func (o object) json() []byte { return append(append([]byte{'{'}, o...), '}') }
