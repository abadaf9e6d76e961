package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// edit sets a key of a file to a value in TOML, or takes it out for an empty one, and leaves all other lines as they are. It makes changes
// as a person would, one after the other, and takes the first one after which the file means just what it should.
func edit(text, key, value string) (string, error) {
	want, err := meaning(text)
	if err != nil {
		return "", err
	}
	table, name := split(key)
	_, open := want[table]
	if err := put(want, table, name, value); err != nil {
		return "", err
	}
	lines := strings.SplitAfter(text, "\n")
	p := parser{}
	if _, err := p.Unmarshal([]byte(text)); err != nil {
		return "", err
	}
	var tries []func() []string
	switch at := p[key]; {
	case at > 0:
		for n := 1; n <= longestValue && at-1+n <= len(lines); n++ {
			tries = append(tries, func() []string { return replaced(lines, at-1, n, value) })
		}
	case value != "":
		tries = inserting(lines, table, name, value, open)
	default:
		return text, nil
	}
	for _, try := range tries {
		if after := strings.Join(try(), ""); means(after, want) {
			return after, nil
		}
	}
	return "", fmt.Errorf("%s is written in a way that cannot be changed here: change it by hand", key)
}

// longestValue is the most lines that a value may have.
const longestValue = 64

// split parts a key into its table and its name there.
func split(key string) (table, name string) {
	at := strings.LastIndex(key, delim)
	return key[:max(at, 0)], key[at+1:]
}

// replaced is the lines with another value in n of them, or without them. A comment behind the value stays.
func replaced(lines []string, at, n int, value string) []string {
	name, old, found := strings.Cut(strings.Join(lines[at:at+n], ""), "=")
	if value == "" || !found {
		return slices.Concat(lines[:at], lines[at+n:])
	}
	return slices.Concat(lines[:at], []string{strings.TrimRight(name, " \t") + " = " + value + comment(old)}, lines[at+n:])
}

// comment is what stands behind a value, with the end of the line.
func comment(value string) string {
	for at := range value {
		if value[at] == '#' && means("x = "+value[:at], nil) {
			return " " + value[at:]
		}
	}
	return "\n"
}

// inserting are the ways to add a key: to its table, in a table of its own, or above all tables. A table that is
// open, but has no head, has keys with dots: TOML allows no head then.
func inserting(lines []string, table, name, value string, open bool) []func() []string {
	insert := func(at int, line string) func() []string {
		return func() []string { return slices.Insert(slices.Clone(lines), at, line) }
	}
	if last := len(lines) - 1; lines[last] != "" {
		lines = append(slices.Clone(lines[:last]), lines[last]+"\n")
	}
	line := name + " = " + value + "\n"
	top := 0 // below the comments that a file begins with
	for top < len(lines) && strings.HasPrefix(lines[top], "#") {
		top++
	}
	if table == "" {
		return []func() []string{insert(top, line)}
	}
	var tries []func() []string
	for at, l := range lines {
		if head, _, _ := strings.Cut(l, "#"); strings.TrimSpace(head) == "["+table+"]" {
			tries = append(tries, insert(at+1, line))
		}
	}
	if !open {
		tries = append(tries, insert(len(lines), "\n["+table+"]\n"+line))
	}
	return append(tries, insert(top, table+delim+line))
}

// meaning is what a file says.
func meaning(text string) (map[string]any, error) {
	values := map[string]any{}
	_, err := toml.Decode(text, &values)
	return values, err
}

// means reports whether a text is a file with these values; nil: with any.
func means(text string, want map[string]any) bool {
	got, err := meaning(text)
	return err == nil && (want == nil || reflect.DeepEqual(prune(got), prune(want)))
}

// prune takes out tables with nothing in them: they mean nothing.
func prune(values map[string]any) map[string]any {
	for key, value := range values {
		if table, is := value.(map[string]any); is && len(prune(table)) == 0 {
			delete(values, key)
		}
	}
	return values
}

// put sets a value, or takes it out.
func put(values map[string]any, table, name, value string) error {
	if table != "" {
		inner, is := values[table].(map[string]any)
		if !is {
			inner = map[string]any{}
		}
		values[table], values = inner, inner
	}
	if value == "" {
		delete(values, name)
		return nil
	}
	one, err := meaning("x = " + value)
	values[name] = one["x"]
	return err
}
