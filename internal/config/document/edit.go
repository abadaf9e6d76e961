package document

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// Edit sets a key of a file to a value in TOML, or removes it if the value is empty, and leaves every other byte
// unchanged.
func Edit(text, key, value string) (string, error) {
	d, err := Parse(text)
	if err != nil {
		return "", err
	}
	at, known := d.places[key]
	after := text
	switch {
	case known && value != "":
		after = text[:at.value] + value + text[at.end:]
	case known && at.inline:
		after = d.without(at)
	case known:
		after = text[:strings.LastIndexByte(text[:at.start], '\n')+1] + text[d.lineEnd(at.end):]
	case value != "":
		after = d.with(key, value)
	}
	if !d.becomes(after, key, value) {
		return "", fmt.Errorf("%s is written in a way that cannot be changed here: change it by hand", key)
	}
	return after, nil
}

// without returns the text without a key between braces, and without the comma after it, or else before it.
func (d *Document) without(at spot) string {
	before, after := d.text[:at.start], d.text[at.end:]
	if rest, found := strings.CutPrefix(strings.TrimLeft(after, " \t"), ","); found {
		return before + strings.TrimLeft(rest, " \t")
	}
	return strings.TrimSuffix(strings.TrimRight(before, " \t"), ",") + after
}

// with returns the text with one more key: in its table if there is one, in any form, else in a new table.
func (d *Document) with(key, value string) string {
	cut := max(strings.LastIndex(key, Delim), 0)
	table, line := key[:cut], strings.TrimPrefix(key[cut:], Delim)+" = "+value
	at, known := d.places[table]
	last := d.last(table)
	switch {
	case known && at.head:
		return d.insert(d.lineEnd(at.end), line)
	case known:
		return d.between(at, line)
	case last > 0: // the whole key, like its neighbors
		return d.insert(d.lineEnd(last), key+" = "+value)
	case table == "":
		return d.insert(d.top(), line)
	}
	return d.insert(len(d.text), d.newline()+"["+table+"]"+d.newline()+line)
}

// between returns the text with one more key at the beginning of a table between braces.
func (d *Document) between(at spot, pair string) string {
	inner := strings.TrimLeft(d.text[at.value+1:], " \t")
	if !strings.HasPrefix(inner, "}") {
		pair += ", "
	}
	first := len(d.text) - len(inner)
	return d.text[:first] + pair + inner
}

// last returns the end of the last value above all tables whose key is in a table and is written with a dot; without a
// table, of any value. 0: there is none.
func (d *Document) last(table string) int {
	end := 0
	for key, at := range d.places {
		if !at.head && !at.inline && at.table == "" && (table == "" || strings.HasPrefix(key, table+Delim)) {
			end = max(end, at.end)
		}
	}
	return end
}

// top returns the place below the comments at the beginning of the file, but not between a comment and the line right
// below it.
func (d *Document) top() int {
	rest := d.text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.TrimSpace(line) != "" {
		return 0
	}
	return len(d.text) - len(rest)
}

// insert returns the text with one more line.
func (d *Document) insert(at int, line string) string {
	before := d.text[:at]
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += d.newline()
	}
	return before + line + d.newline() + d.text[at:]
}

// lineEnd returns the beginning of the next line.
func (d *Document) lineEnd(at int) int {
	if length := strings.IndexByte(d.text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(d.text)
}

// newline returns the line ending of the file.
func (d *Document) newline() string {
	if strings.Contains(d.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// becomes reports whether a text has the same meaning as the document, except for the value of one key.
func (d *Document) becomes(text, key, value string) bool {
	want := meaning(d)
	delete(want, key)
	if value != "" {
		one, err := Parse("x = " + value)
		if err != nil {
			return false
		}
		want[key] = one.Values["x"]
	}
	after, err := Parse(text)
	return err == nil && reflect.DeepEqual(meaning(after), want)
}

// meaning returns the values of the document, without empty tables, which mean nothing.
func meaning(d *Document) map[string]any {
	all := Flat(d.Values)
	maps.DeleteFunc(all, func(_ string, value any) bool {
		_, table := value.(map[string]any)
		return table
	})
	return all
}
