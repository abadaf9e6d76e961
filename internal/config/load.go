package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/text"
)

// SystemFile holds the settings of all users, and limits that they cannot undo.
const SystemFile = "/etc/nvnodetop/config.toml"

// Inputs are the sources of settings. Later fields override earlier ones.
type Inputs struct {
	System, User string // paths of files; "": none
	Environ      []string
	Line         map[string]Word // from the command line, by key
}

// Word is a value on the command line, with its name there, such as "--view".
type Word struct{ Name, Text string }

// Origins has the origins of the values of a Config.
type Origins struct {
	Files   []string // the files read
	Unknown []string // a line for each unknown key in a file, which is passed over
	Notes   []string // a line for each value of the user's that exceeded a limit, and for each old name
	Ignored []string // words in another program's variables that mean nothing here

	of     map[string]string // origins by key; other keys have their defaults
	system map[string]string // origins in the system's file
}

// ByDefault is the origin of a default.
const ByDefault = "default"

// Of returns the origin of the value of a key.
func (o *Origins) Of(key string) string { return cmp.Or(o.of[key], ByDefault) }

// layer is one source of settings.
type layer struct {
	values values
	origin func(key string) string
	line   func(key string) int // line of a key in its file; nil: there is no file
}

// delim separates the parts of a key.
const delim = "."

// values has a value for each key, which includes the names of its tables. An empty table is a value, too.
type values map[string]any

// flat returns the values in a table and in the tables inside it.
func flat(table map[string]any) values {
	all := values{}
	for name, v := range table {
		inner, is := v.(map[string]any)
		if !is || len(inner) == 0 {
			all[name] = v
		}
		for key, v := range flat(inner) {
			all[name+delim+key] = v
		}
	}
	return all
}

// Load sets all settings. Its error is one line.
func (c *Config) Load(in Inputs) (*Origins, error) {
	o := &Origins{of: map[string]string{}}
	all := values{}
	system := Default()
	if err := o.add(all, func() (*layer, error) { return o.file(in.System) }); err != nil {
		return nil, err
	}
	system.take(all)
	o.system = maps.Clone(o.of)
	for _, read := range []func() (*layer, error){
		func() (*layer, error) { return o.file(in.User) },
		func() (*layer, error) { return o.nvitop(in.Environ) },
		func() (*layer, error) { return environment(in.Environ) },
		func() (*layer, error) { return commandLine(in.Line) },
	} {
		if err := o.add(all, read); err != nil {
			return nil, err
		}
	}
	c.take(all)
	for _, t := range columns.Tables {
		o.Notes = append(o.Notes, renamed(t, all["columns."+string(t)])...)
	}
	o.bind(c, &system)
	c.remember(o)
	return o, c.checkDoors(o)
}

// remember keeps the origins of limits that a user may ask about.
func (c *Config) remember(o *Origins) {
	for _, limit := range []struct {
		set bool
		key string
		to  *string
	}{
		{c.ReadOnly, "readonly", &c.ReadOnlyFrom}, {c.Serve != ServeAny, "serve", &c.ServeFrom},
		{!c.Record, "record", &c.RecordFrom}, {!c.Logs, "logs", &c.LogsFrom},
		{c.MaxNodes > 0, "max_nodes", &c.MaxNodesFrom},
		{c.Notify.Allow != NotifyAny, "notify.allow", &c.Notify.AllowFrom},
	} {
		if limit.set {
			*limit.to = o.Of(limit.key)
		}
	}
}

// Remarks are the lines about the settings that a user should read at the start. All unknown keys share one line.
func (o *Origins) Remarks() []string {
	var all []string
	if n := len(o.Unknown); n == 1 {
		all = append(all, o.Unknown[0])
	} else if n > 1 {
		all = append(all, fmt.Sprintf("%s (and %d more: nvnodetop config --check)", o.Unknown[0], n-1))
	}
	return append(all, o.Notes...)
}

// add adds a layer, if all its values are valid.
func (o *Origins) add(all values, read func() (*layer, error)) error {
	l, err := read()
	if err != nil || l == nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(l.values))
	if l.line != nil {
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(l.line(a), l.line(b)) })
	}
	for _, key := range keys {
		err := l.check(key)
		switch {
		case l.line != nil && errors.Is(err, errUnknown):
			o.Unknown = append(o.Unknown, err.Error()+": passed over")
			delete(l.values, key)
		case err != nil:
			return err
		default:
			o.of[key] = l.origin(key)
		}
	}
	maps.Copy(all, l.values)
	return nil
}

// errUnknown is the error of a key that no setting has. In a file it may belong to another version: several versions
// share the system's file, and a home.
var errUnknown = errors.New("unknown key")

// check returns the mistake in a key or its value.
func (l *layer) check(key string) error {
	name, at := l.origin(key), ""
	if l.line != nil {
		name, at = key, l.origin(key)+": "
	}
	value := l.values[key]
	s := named(key)
	if s == nil {
		table, isMap := value.(map[string]any)
		switch {
		case isMap && len(table) == 0 && isTable(key):
			return nil
		case isTable(key):
			return fmt.Errorf("%s%s must be a table: [%s]", at, name, key)
		}
		return fmt.Errorf("%s%w %q (%s)", at, errUnknown, name, alike(key))
	}
	var scratch Config
	if !s.take(&scratch, value) {
		if s.wrong != nil && s.wrong(value) != "" {
			return fmt.Errorf("%s%s %s", at, name, s.wrong(value))
		}
		return fmt.Errorf("%s%s must be %s, not %s%s", at, name, s.want, describe(value),
			text.Meant(fmt.Sprint(value), s.among))
	}
	return nil
}

// take sets the settings that have a value.
func (c *Config) take(all values) {
	for i := range settings {
		if v, set := all[settings[i].key]; set {
			settings[i].take(c, v)
		}
	}
}

// bind brings the settings within their limits, and notes the user's values that exceeded them.
func (o *Origins) bind(c, system *Config) {
	for i := range settings {
		s := &settings[i]
		before := s.show(c)
		if s.bind == nil || !s.bind(c, system) {
			continue
		}
		limit, where := s.key, o.system[s.key]
		if s.bound != "" {
			limit, where = s.bound, o.Of(s.bound)
		}
		if from, set := o.of[s.key]; set && s.bound == "" && where == "" {
			o.Notes = append(o.Notes, fmt.Sprintf("%s = %s (%s) does not count: only the system's file sets it", s.key,
				before, from))
		} else if set && from != o.system[s.key] {
			o.Notes = append(o.Notes, fmt.Sprintf("%s = %s (%s) becomes %s: the limit is %s (%s)", s.key, before, from,
				s.show(c), limit, where))
		}
		o.of[s.key] = where
	}
}

// envPrefix is the beginning of our environment variables.
const envPrefix = "NVNODETOP_"

// variable returns the environment variable of a key.
func variable(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, delim, "_"))
}

// environment reads the environment. An unknown variable may belong to anything, for example to a module file, unless
// its name is close to that of a setting.
func environment(environ []string) (*layer, error) {
	keys := map[string]string{}
	var names []string
	for i := range settings {
		name := variable(settings[i].key)
		keys[name] = settings[i].key
		names = append(names, name)
	}
	l := &layer{values: values{}, origin: variable}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if key := keys[name]; key != "" {
			l.values[key] = words(value)
		} else if near, far := text.Nearest(name, names); strings.HasPrefix(name, envPrefix) && far <= typo {
			return nil, fmt.Errorf("unknown variable %q in the environment (the nearest is %s)", name, near)
		}
	}
	return l, nil
}

// commandLine reads the flags and arguments.
func commandLine(line map[string]Word) (*layer, error) {
	l := &layer{values: values{}, origin: func(key string) string { return line[key].Name }}
	for key, word := range line {
		l.values[key] = words(word.Text)
	}
	return l, nil
}
