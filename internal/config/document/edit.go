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
		after = d.removeKey(at)
	case known:
		after = text[:strings.LastIndexByte(text[:at.start], '\n')+1] + text[d.lineEnd(at.end):]
	case value != "":
		after = d.addKey(key, value)
	}
	if !d.differsOnlyIn(after, key, value) {
		return "", fmt.Errorf("%s is written in a way that cannot be changed here: change it by hand", key)
	}
	return after, nil
}

// removeKey returns the text without a key between braces. It also removes the comma after it, or else the one before
// it.
func (d *Document) removeKey(at keySpan) string {
	before, after := d.text[:at.start], d.text[at.end:]
	if rest, found := strings.CutPrefix(strings.TrimLeft(after, " \t"), ","); found {
		return before + strings.TrimLeft(rest, " \t")
	}
	return strings.TrimSuffix(strings.TrimRight(before, " \t"), ",") + after
}

// addKey returns the text with one more key: in its table if there is one in any form, otherwise in a new table.
func (d *Document) addKey(key, value string) string {
	cut := max(strings.LastIndex(key, Delim), 0)
	table, line := key[:cut], strings.TrimPrefix(key[cut:], Delim)+" = "+value
	at, known := d.places[table]
	last := d.lastValueEnd(table)
	switch {
	case known && at.head:
		return d.insertLine(d.lineEnd(at.end), line)
	case known:
		return d.addInlineKey(at, line)
	case last > 0: // the whole key, like its neighbors
		return d.insertLine(d.lineEnd(last), key+" = "+value)
	case table == "":
		return d.insertLine(d.topOffset(), line)
	}
	return d.insertLine(len(d.text), d.lineEnding()+"["+table+"]"+d.lineEnding()+line)
}

// addInlineKey returns the text with one more key at the beginning of a table between braces.
func (d *Document) addInlineKey(at keySpan, pair string) string {
	inner := strings.TrimLeft(d.text[at.value+1:], " \t")
	if !strings.HasPrefix(inner, "}") {
		pair += ", "
	}
	first := len(d.text) - len(inner)
	return d.text[:first] + pair + inner
}

// lastValueEnd returns the end of the last value above all tables that is in a table and has a key with a dot. Without
// a table it considers any value. 0: there is none.
func (d *Document) lastValueEnd(table string) int {
	end := 0
	for key, at := range d.places {
		if !at.head && !at.inline && at.table == "" && (table == "" || strings.HasPrefix(key, table+Delim)) {
			end = max(end, at.end)
		}
	}
	return end
}

// topOffset returns the offset below the comments at the beginning of the file. It is never between a comment and the
// line right below it.
func (d *Document) topOffset() int {
	rest := d.text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.TrimSpace(line) != "" {
		return 0
	}
	return len(d.text) - len(rest)
}

// insertLine returns the text with one more line.
func (d *Document) insertLine(at int, line string) string {
	before := d.text[:at]
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += d.lineEnding()
	}
	return before + line + d.lineEnding() + d.text[at:]
}

// lineEnd returns the beginning of the next line.
func (d *Document) lineEnd(at int) int {
	if length := strings.IndexByte(d.text[at:], '\n'); length >= 0 {
		return at + length + 1
	}
	return len(d.text)
}

// lineEnding returns the line ending of the file.
func (d *Document) lineEnding() string {
	if strings.Contains(d.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// differsOnlyIn reports whether a text has the same meaning as the document, except for the value of one key.
func (d *Document) differsOnlyIn(text, key, value string) bool {
	want := nonEmptyValues(d)
	delete(want, key)
	if value != "" {
		one, err := Parse("x = " + value)
		if err != nil {
			return false
		}
		want[key] = one.Values["x"]
	}
	after, err := Parse(text)
	return err == nil && reflect.DeepEqual(nonEmptyValues(after), want)
}

// nonEmptyValues returns the values of the document. It leaves out empty tables, which mean nothing.
func nonEmptyValues(d *Document) map[string]any {
	all := Flat(d.Values)
	maps.DeleteFunc(all, func(_ string, value any) bool {
		_, table := value.(map[string]any)
		return table
	})
	return all
}
