package metric

import (
	"bytes"
	"errors"
)

// Columns holds the changed metrics of several GPUs; AppendColumns writes them. In JSON each metric is named once.
type Columns []Values

// errColumns is the error for text that AppendColumns did not write.
var errColumns = errors.New("unexpected columns of metrics")

// AppendColumns appends the changed values of n GPUs, as a JSON object with a list for each metric. In the list, null
// stands for a value that has not changed, and for a value that is absent now.
func AppendColumns(to []byte, n int, gpu func(i int) (now, base *Values)) []byte {
	to = append(to, '{')
	first := true
	for id := range gpus {
		if !anyChanged(id, n, gpu) {
			continue
		}
		if !first {
			to = append(to, ',')
		}
		first = false
		to = append(append(append(to, '"'), table[id].Key...), `":[`...)
		for i := range n {
			if i > 0 {
				to = append(to, ',')
			}
			if now, base := gpu(i); now.hasNewValue(id, base) {
				to = AppendNumber(to, now.v[id.place()])
			} else {
				to = append(to, "null"...)
			}
		}
		to = append(to, ']')
	}
	return append(to, '}')
}

func anyChanged(id ID, n int, gpu func(i int) (now, base *Values)) bool {
	for i := range n {
		if now, base := gpu(i); now.hasNewValue(id, base) {
			return true
		}
	}
	return false
}

// UnmarshalJSON parses the output of AppendColumns into the space of c, and ignores unknown keys and implausible
// values.
func (c *Columns) UnmarshalJSON(text []byte) error {
	*c = (*c)[:0]
	text, ok := bytes.CutPrefix(text, []byte{'{'})
	if ok && string(text) == "}" {
		return nil
	}
	for ok {
		key, rest, found := bytes.Cut(text, []byte(`":[`))
		if !found || len(key) == 0 || key[0] != '"' {
			break
		}
		id, known := byKey[GPU][string(key[1:])]
		if text, ok = c.parseColumn(id, known, rest); ok && string(text) == "}" {
			return nil
		}
		text, ok = bytes.CutPrefix(text, []byte{','})
	}
	return errColumns
}

// parseColumn parses the elements of a list, and returns the rest of the text.
func (c *Columns) parseColumn(id ID, known bool, text []byte) (rest []byte, ok bool) {
	for i := 0; ; i++ {
		if i == len(*c) {
			*c = append(*c, Values{})
		}
		var n int
		if bytes.HasPrefix(text, []byte("null")) {
			n = len("null")
		} else {
			x, digits, ok := parseNumber(text)
			if !ok {
				return nil, false
			}
			if n = digits; known {
				(*c)[i].Set(id, x)
			}
		}
		switch {
		case n == len(text):
			return nil, false
		case text[n] == ']':
			return text[n+1:], true
		case text[n] != ',':
			return nil, false
		}
		text = text[n+1:]
	}
}
