package config

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// edit sets a key of a file to a value in TOML, or takes it out for an empty one, and leaves every other byte as it is.
func edit(text, key, value string) (string, error) {
	d, err := parse(text)
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

// without is the text without a key between braces, and without the comma that parted it from the next one, or else
// from the one before.
func (d *document) without(at spot) string {
	before, after := d.text[:at.start], d.text[at.end:]
	if rest, found := strings.CutPrefix(strings.TrimLeft(after, " \t"), ","); found {
		return before + strings.TrimLeft(rest, " \t")
	}
	return strings.TrimSuffix(strings.TrimRight(before, " \t"), ",") + after
}

// with is the text with one more key: in its table if there is one, however that is written, else in a table of its
// own.
func (d *document) with(key, value string) string {
	cut := max(strings.LastIndex(key, delim), 0)
	table, line := key[:cut], strings.TrimPrefix(key[cut:], delim)+" = "+value
	at, known := d.places[table]
	last := d.last(table)
	switch {
	case known && at.head:
		return d.insert(d.lineEnd(at.end), line)
	case known:
		return d.between(at, line)
	case last > 0: // the key is written out, as its neighbors are
		return d.insert(d.lineEnd(last), key+" = "+value)
	case table == "":
		return d.insert(d.top(), line)
	}
	return d.insert(len(d.text), d.newline()+"["+table+"]"+d.newline()+line)
}

// between is the text with one more key at the begin of a table between braces.
func (d *document) between(at spot, pair string) string {
	inner := strings.TrimLeft(d.text[at.value+1:], " \t")
	if !strings.HasPrefix(inner, "}") {
		pair += ", "
	}
	first := len(d.text) - len(inner)
	return d.text[:first] + pair + inner
}

// last is the end of the last value above all tables whose key is in a table, written with a dot; of any value for no
// table. 0: there is none.
func (d *document) last(table string) int {
	end := 0
	for key, at := range d.places {
		if !at.head && !at.inline && at.table == "" && (table == "" || strings.HasPrefix(key, table+delim)) {
			end = max(end, at.end)
		}
	}
	return end
}

// top is below the comments that a file begins with, but not between a comment and what stands right below it.
func (d *document) top() int {
	rest := d.text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.TrimSpace(line) != "" {
		return 0
	}
	return len(d.text) - len(rest)
}

// insert is the text with one more line there.
func (d *document) insert(at int, line string) string {
	before := d.text[:at]
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += d.newline()
	}
	return before + line + d.newline() + d.text[at:]
}

// lineEnd is the begin of the next line.
func (d *document) lineEnd(at int) int {
	if length := strings.IndexByte(d.text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(d.text)
}

// newline is how the lines of the file end.
func (d *document) newline() string {
	if strings.Contains(d.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// becomes reports whether a text means the same as the document, but for that value of one key.
func (d *document) becomes(text, key, value string) bool {
	want := meaning(d)
	delete(want, key)
	if value != "" {
		one, err := parse("x = " + value)
		if err != nil {
			return false
		}
		want[key] = one.values["x"]
	}
	after, err := parse(text)
	return err == nil && reflect.DeepEqual(meaning(after), want)
}

// meaning is the values of the document. Tables with nothing in them are left out: they mean nothing.
func meaning(d *document) values {
	all := flat(d.values)
	maps.DeleteFunc(all, func(_ string, value any) bool {
		_, table := value.(map[string]any)
		return table
	})
	return all
}
