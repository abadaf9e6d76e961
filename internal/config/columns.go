package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// columnLists returns the settings for the columns of the tables.
func columnLists() []setting {
	var all []setting
	for _, t := range rows.ColumnTables {
		all = append(all, setting{
			key: "columns." + string(t), want: "a list of different names among " + strings.Join(t.Names(), ", "),
			take: func(c *Config, v any) bool {
				l, good, _ := asColumns(t, v)
				return storeValid(c.Columns.At(t))(l, good)
			},
			wrong: func(v any) string {
				_, _, why := asColumns(t, v)
				return why
			},
			show: func(c *Config) string { return tomlList(c.Columns.At(t).Names()) },
		})
	}
	return all
}

// asColumns reads the columns of a table. why says what is wrong with a name.
func asColumns(t rows.ColumnTable, v any) (l rows.ColumnList, good bool, why string) {
	list, ok := asList(v)
	if w, is := v.(textValue); is && strings.TrimSpace(string(w)) == "" {
		list = nil
	}
	keys := make([]string, 0, len(list))
	for _, name := range list {
		switch key := t.Find(name); {
		case key == "":
			return "", false, fmt.Sprintf("has no column %s (%s)", describeValue(name), nearestColumn(t, name))
		case slices.Contains(keys, key):
			return "", false, fmt.Sprintf("names the column %q twice", name)
		default:
			keys = append(keys, key)
		}
	}
	return rows.ColumnsOf(keys), ok, ""
}

// nearestColumn names the column that a misspelled name probably means, or all of them.
func nearestColumn(t rows.ColumnTable, name string) string {
	if near := text.Similar(name, everyName(t)); near != "" {
		return "the nearest is " + near
	}
	return "it has " + strings.Join(t.Names(), ", ")
}

// everyName returns the present and former names of the columns of a table.
func everyName(t rows.ColumnTable) (names []string) {
	for _, c := range t.Columns() {
		names = append(append(names, c.Key), c.Also...)
	}
	return names
}

// renameNotes returns notes about chosen columns that have a new name; nil: there are none.
func renameNotes(t rows.ColumnTable, v any) (notes []string) {
	list, _ := asList(v)
	for _, name := range list {
		if key := t.Find(name); key != "" && key != name {
			notes = append(notes, fmt.Sprintf("columns.%s: %s is called %s now; the old name works, too", t, name, key))
		}
	}
	return notes
}

// tomlList returns a list of strings in TOML; empty for none.
func tomlList(list []string) string {
	if len(list) == 0 {
		return ""
	}
	quotes := make([]string, len(list))
	for i, s := range list {
		quotes[i] = tomlString(s)
	}
	return "[" + strings.Join(quotes, ", ") + "]"
}
