package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/config"
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
		if wrong := wrongValue(c, bad); wrong != nil {
			return wrong
		}
	}
	if bad, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(c, bad)
	}
	return fmt.Errorf("%s (%s --help lists the flags)", strings.TrimSuffix(err.Error(), "."), c.CommandPath())
}

// unknownFlag explains a flag that a command lacks: what does its work here, which commands have it, or which flag was
// probably meant.
func unknownFlag(c *cobra.Command, bad *pflag.NotExistError) error {
	name := "--" + bad.GetSpecifiedName()
	if letters := bad.GetSpecifiedShortnames(); letters != "" {
		if name = "-" + bad.GetSpecifiedName(); strings.Trim(letters, "0123456789.") == "" {
			return config.WrongInterval(intervals[0].name, intervals[0].key, "-"+letters)
		}
	}
	if hint := otherFlags[strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")+" "+name]; hint != "" {
		return fmt.Errorf("unknown flag: %s: %s", name, hint)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := strings.Replace(text.Meant(bad.GetSpecifiedName(), names), `"`, `"--`, 1)
	if having := commandsWith(c.Root(), bad.GetSpecifiedName()); meant == "" && len(having) > 0 {
		meant = ", a flag of " + strings.Join(having, ", ")
	}
	return fmt.Errorf("unknown flag: %s%s (%s --help lists the flags)", name, meant, c.CommandPath())
}

// commandsWith returns the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, c := range root.Commands() {
		if f := c.Flags().Lookup(flag); len(flag) > 1 && f != nil && !f.Hidden && !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

const (
	repeats    = "nvnodetop repeats by itself, every 5 s with: nvnodetop 5"
	onlySome   = "--only 0 shows GPU 0 of each node"
	asTable    = "nvnodetop snapshot --format csv prints the values of each GPU"
	hasNoColor = "--theme mono draws without colors, and so does NO_COLOR=1"
	allJobs    = "the screen shows all your jobs, and [ and ] change the job; nvnodetop list --job 48211 prints one"
	byHosts    = "--nodes gpu01 shows a host, --nodes 'gpu[01-04]' several"
	byDays     = "--days 2 lists the jobs since yesterday"
)

// otherFlags are flags of other programs, and what does their work here. The key is the command and the flag.
var otherFlags = map[string]string{
	"nvnodetop -l": repeats, "nvnodetop --loop": repeats, "nvnodetop -d": repeats, "nvnodetop --delay": repeats,
	"nvnodetop -n": repeats, "nvnodetop -i": onlySome, "nvnodetop --id": onlySome, "nvnodetop --gpu": onlySome,
	"nvnodetop --query-gpu": asTable, "nvnodetop --format": asTable, "nvnodetop --csv": asTable,
	"nvnodetop -q": "nvnodetop --json prints all that is known", "nvnodetop --no-color": hasNoColor,
	"nvnodetop --no-colors": hasNoColor, "nvnodetop --job": allJobs, "nvnodetop -j": allJobs,
	"nvnodetop --me": "nvnodetop shows your jobs without it", "nvnodetop -w": byHosts, "nvnodetop --nodelist": byHosts,
	"nvnodetop --host": byHosts, "nvnodetop --hosts": byHosts,
	"nvnodetop --watch": "nvnodetop follows your jobs without it; nvnodetop list --watch repeats a table",
	"report --since":    byDays, "report -S": byDays, "report --starttime": byDays,
}
