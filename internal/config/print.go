package config

import (
	"fmt"
	"io"
	"strings"
)

// Print writes the settings as TOML, each with its origin.
func (c *Config) Print(w io.Writer, o *Origins) error {
	var b strings.Builder
	for _, path := range o.Files {
		fmt.Fprintf(&b, "# read: %s\n", path)
	}
	for _, note := range o.Notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	table := ""
	for i := range settings {
		s := &settings[i]
		name := s.key
		if at := strings.LastIndex(name, delim); at >= 0 {
			if name[:at] != table {
				table = name[:at]
				fmt.Fprintf(&b, "\n[%s]\n", table)
			}
			name = name[at+1:]
		}
		if value := s.show(c); value != "" {
			fmt.Fprintf(&b, "%-32s # %s\n", name+" = "+value, o.Of(s.key))
		} else {
			fmt.Fprintf(&b, "# %s is not set\n", name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
