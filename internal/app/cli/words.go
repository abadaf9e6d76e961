package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// OneOf checks the value of a flag that takes one of a few words.
func OneOf[T ~string](flag string, value T, words ...T) error {
	if slices.Contains(words, value) {
		return nil
	}
	var names []string
	for _, w := range words {
		names = append(names, string(w))
	}
	last := len(names) - 1
	return fmt.Errorf("--%s must be %s or %s, not %q%s", flag, strings.Join(names[:last], ", "), names[last], value,
		text.Meant(string(value), names))
}

// FlagError explains a wrong flag of a command, or a wrong value, without the wording of Go's parsers.
func FlagError(c *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if wrong := wrongValue(bad); wrong != nil {
			return wrong
		}
	}
	meant := ""
	if bad, ok := errors.AsType[*pflag.NotExistError](err); ok && bad.GetSpecifiedShortnames() == "" {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		meant = strings.Replace(text.Meant(bad.GetSpecifiedName(), names), `"`, `"--`, 1)
	}
	return fmt.Errorf("%s%s (%s --help lists the flags)", strings.TrimSuffix(err.Error(), "."), meant, c.CommandPath())
}
