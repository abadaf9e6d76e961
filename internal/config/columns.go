package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/text"
)

// columnLists are the rows of the columns of the tables.
func columnLists() []setting {
	var all []setting
	for _, t := range columns.Tables {
		all = append(all, setting{
			key: "columns." + string(t), want: "a list of different names among " + strings.Join(t.Names(), ", "),
			take: func(c *Config, v any) bool {
				l, good, _ := asColumns(t, v)
				return set(c.Columns.At(t))(l, good)
			},
			wrong: func(v any) string {
				_, _, why := asColumns(t, v)
				return why
			},
			show: func(c *Config) string { return listed(c.Columns.At(t).Names()) },
		})
	}
	return all
}

// asColumns takes columns of a table. why says what is wrong with a name.
func asColumns(t columns.Table, v any) (l columns.List, good bool, why string) {
	list, ok := asList(v)
	if w, is := v.(words); is && strings.TrimSpace(string(w)) == "" {
		list = nil
	}
	for i, name := range list {
		switch {
		case !slices.Contains(t.Names(), name):
			near, _ := text.Nearest(name, t.Names())
			return "", false, fmt.Sprintf("has no column %s (the nearest is %s)", describe(name), near)
		case slices.Contains(list[:i], name):
			return "", false, fmt.Sprintf("names the column %q twice", name)
		}
	}
	return columns.Of(list), ok, ""
}

// listed is a list of strings in TOML; empty for none.
func listed(list []string) string {
	if len(list) == 0 {
		return ""
	}
	quotes := make([]string, len(list))
	for i, s := range list {
		quotes[i] = quoted(s)
	}
	return "[" + strings.Join(quotes, ", ") + "]"
}
