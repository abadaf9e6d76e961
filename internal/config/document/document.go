// Package document reads a file of settings with the place of each key, and changes one value in it.
package document

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Document is the text of a file of settings, its values, and the place of each key.
type Document struct {
	text   string
	Values map[string]any
	places map[string]keySpan

	line, counted int // line is the line number at byte counted
}

// keySpan is the place of a key: the bytes from start to end, with its value from value on. The head of a table has no
// value.
type keySpan struct {
	line              int
	start, value, end int
	head, inline      bool   // it is the head of a table; it is between braces
	table             string // the table of its head
}

// The limits of a file, several times what all settings need. The time to read a larger file would grow with the square
// of its size.
const (
	maxDepth = 8
	maxKeys  = 2000
)

var errTooMuch = fmt.Errorf("it has more than %d keys, or one in more than %d tables", maxKeys, maxDepth)

// Parse reads TOML. A key with a dot in quotes is an error, since it would look like a key in a table.
func Parse(text string) (*Document, error) {
	d := &Document{text: text, places: map[string]keySpan{}, line: 1}
	var p unstable.Parser
	p.Reset([]byte(text))
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			if err := d.notePair(e, keySpan{table: table}, table); err != nil {
				return nil, err
			}
			continue
		}
		key, at, err := d.key(e, "")
		if err != nil {
			return nil, err
		}
		at.head = true
		d.noteKey(key, at)
		table = key
	}
	if err := toml.Unmarshal([]byte(text), &d.Values); err != nil { // this reader knows where a mistake is
		return nil, err
	}
	return d, p.Error()
}

// notePair notes a key with a value, and the keys within the value.
func (d *Document) notePair(e *unstable.Node, like keySpan, prefix string) error {
	key, at, err := d.key(e, prefix)
	if err != nil {
		return err
	}
	at.inline, at.table = like.inline, like.table
	at.value = at.end + strings.IndexByte(d.text[at.end:], '=') + 1
	at.value += len(d.text[at.value:]) - len(strings.TrimLeft(d.text[at.value:], " \t"))
	at.end = int(e.Raw.Offset + e.Raw.Length)
	d.noteKey(key, at)
	if e.Value().Kind != unstable.InlineTable {
		return nil
	}
	at.inline = true
	for inner := e.Value().Children(); inner.Next(); {
		if err := d.notePair(inner.Node(), at, key); err != nil {
			return err
		}
	}
	return nil
}

// key returns the full key of a node, including the name of its table, and its beginning and end.
func (d *Document) key(e *unstable.Node, prefix string) (key string, at keySpan, err error) {
	var parts []string
	if prefix != "" {
		parts = append(parts, prefix)
	}
	for part := e.Key(); part.Next(); {
		n := part.Node()
		if strings.Contains(string(n.Data), Delim) {
			return "", at, fmt.Errorf("the key %q has a dot in it", n.Data)
		}
		if at.end == 0 {
			at.start = int(n.Raw.Offset)
		}
		at.end = int(n.Raw.Offset + n.Raw.Length)
		parts = append(parts, string(n.Data))
	}
	if strings.Count(prefix, Delim)+len(parts) > maxDepth || len(d.places) >= maxKeys {
		return "", at, errTooMuch
	}
	d.line += strings.Count(d.text[d.counted:at.start], "\n")
	d.counted, at.line = at.start, d.line
	return strings.Join(parts, Delim), at, nil
}

// noteKey keeps the first place of a key. The key of an array of tables has many places.
func (d *Document) noteKey(key string, at keySpan) {
	if _, known := d.places[key]; !known {
		d.places[key] = at
	}
}

// LineOf returns the line of a key, or of its table.
func (d *Document) LineOf(key string) int {
	for ; key != ""; key = key[:max(strings.LastIndex(key, Delim), 0)] {
		if at, known := d.places[key]; known {
			return at.line
		}
	}
	return 1
}

// Delim separates the parts of a key.
const Delim = "."

// Flat returns the values in a table and in the tables inside it.
func Flat(table map[string]any) map[string]any {
	all := map[string]any{}
	for name, v := range table {
		inner, is := v.(map[string]any)
		if !is || len(inner) == 0 {
			all[name] = v
		}
		for key, v := range Flat(inner) {
			all[name+Delim+key] = v
		}
	}
	return all
}
