package export

import (
	"bytes"
	"encoding/json"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// text adds a text, unless it is empty.
func (o object) text(key, value string) object {
	if value == "" {
		return o
	}
	return append(o, member{key, value})
}

// numbers adds the numbers of one scope that are known.
func (o object) numbers(s metric.Scope, get func(metric.ID) (float64, bool)) object {
	for id := range metric.All(s) {
		v, known := get(id)
		switch {
		case !known:
		case id != metric.Throttle:
			o = append(o, member{id.Row().Key, v})
		case v != 0: // left out when nothing slows the GPU
			o = append(o, member{id.Row().Key, throttleNames(uint64(v))})
		}
	}
	return o
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
