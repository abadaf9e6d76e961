package config

import "strings"

// Levels are the thresholds between light, moderate and heavy use, in percent; zero: none.
type Levels [2]float64

// levelsSetting is the setting of such thresholds.
func levelsSetting(key, example string, at func(*Config) *Levels) setting {
	return setting{
		key: key, want: "two numbers, 0 < low < high < 100",
		example: example, exampleInFile: "[" + strings.ReplaceAll(example, ",", ", ") + "]",
		take: func(c *Config, v any) bool { return storeValid(at(c))(asLevels(v)) },
		show: func(c *Config) string {
			l := at(c)
			if *l == (Levels{}) {
				return ""
			}
			return "[" + formatNumber(l[0]) + ", " + formatNumber(l[1]) + "]"
		},
	}
}

// asLevels reads a list of two numbers. In text a comma separates them.
func asLevels(v any) (l Levels, ok bool) {
	var items []any
	switch v := v.(type) {
	case []any:
		items = v
	case textValue:
		for item := range strings.SplitSeq(string(v), ",") {
			items = append(items, textValue(strings.TrimSpace(item)))
		}
	}
	if len(items) != len(l) {
		return l, false
	}
	for i, item := range items {
		if l[i], ok = asNumber(item); !ok {
			return l, false
		}
	}
	return l, 0 < l[0] && l[0] < l[1] && l[1] < 100
}
