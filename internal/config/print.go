package config

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Value is one setting: its value in TOML, empty if it has none, and its origin.
type Value struct{ Key, Value, Origin string }

// Values returns all settings.
func (c *Config) Values(o *Origins) []Value {
	var all []Value
	for i := range settings {
		s := &settings[i]
		all = append(all, Value{s.key, s.show(c), o.Of(s.key)})
	}
	return all
}

// Print writes the settings as TOML, each with its origin.
func (c *Config) Print(w io.Writer, o *Origins) error {
	var b strings.Builder
	for _, path := range o.Files {
		fmt.Fprintf(&b, "# read: %s\n", path)
	}
	for _, remark := range slices.Concat(o.PassedOver, o.Notes) {
		fmt.Fprintf(&b, "# %s\n", remark)
	}
	table := ""
	for _, v := range c.Values(o) {
		name := v.Key
		if at := strings.LastIndex(name, delim); at >= 0 {
			if name[:at] != table {
				table = name[:at]
				fmt.Fprintf(&b, "\n[%s]\n", table)
			}
			name = name[at+1:]
		}
		if v.Value != "" {
			fmt.Fprintf(&b, "%-32s # %s\n", name+" = "+v.Value, v.Origin)
		} else {
			fmt.Fprintf(&b, "# %s is not set\n", name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
