package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/config/document"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// SystemFile holds settings for all users, and limits that they cannot undo.
const SystemFile = "/etc/nvnodetop/config.toml"

// Inputs are the sources of settings. Later fields override earlier ones, except for the limits of Beside and System.
type Inputs struct {
	Beside       Beside // the file of the place where the program is installed
	System, User string // paths of files; "": none
	Environ      []string
	Line         map[string]Word // from the command line, by key
}

// Word is a value on the command line, with its name there, such as "--view".
type Word struct{ Name, Text string }

// Origins has the origins of the values of a Config.
type Origins struct {
	Files      []string // the files read
	PassedOver []string // a line for each unknown key in a file, and for one beside the program that others can write
	Notes      []string // one line for each value of the user that exceeded a limit, and for each old name
	Ignored    []string // words in another program's variables that have no meaning here

	of     map[string]string // origins by key; other keys have their defaults
	limits []systemLimits    // of the system's files that were read
}

// systemLimits are the settings of one of the system's files.
type systemLimits struct {
	Config

	of map[string]string // origins of the keys in the file
}

// ByDefault is the origin of a default.
const ByDefault = "default"

// Of returns the origin of the value of a key.
func (o *Origins) Of(key string) string { return cmp.Or(o.of[key], ByDefault) }

// NameOf names a setting as its origin has it, for errors: "--login", or "config.toml:3: login".
func (o *Origins) NameOf(key string) string {
	from := o.Of(key)
	if slices.ContainsFunc(o.Files, func(path string) bool { return strings.HasPrefix(from, path+":") }) {
		return from + ": " + key
	}
	return from
}

// layer is one source of settings.
type layer struct {
	values values
	origin func(key string) string
	line   func(key string) int // line of a key in its file; nil: there is no file
}

// delim separates the parts of a key.
const delim = document.Delim

// values has a value for each key, which contains the names of its tables. An empty table is also a value.
type values map[string]any

// Load sets all settings. Its error is one line.
func (c *Config) Load(in Inputs) (*Origins, error) {
	o := &Origins{of: map[string]string{}}
	all := values{}
	for _, read := range []func() (*layer, error){
		func() (*layer, error) { return o.readBeside(in.Beside) },
		func() (*layer, error) { return o.readSettings(in.System) },
	} {
		if err := o.addSystemLayer(all, read); err != nil {
			return nil, err
		}
	}
	for _, read := range []func() (*layer, error){
		func() (*layer, error) { return o.readSettings(in.User) },
		func() (*layer, error) { return o.readNvitop(in.Environ) },
		func() (*layer, error) { return readEnvironment(in.Environ) },
		func() (*layer, error) { return commandLine(in.Line) },
	} {
		if err := o.addLayer(all, read); err != nil {
			return nil, err
		}
	}
	c.take(all)
	for _, t := range rows.ColumnTables {
		o.Notes = append(o.Notes, renameNotes(t, all["columns."+string(t)])...)
	}
	o.applyLimits(c)
	c.keepOrigins(o)
	o.noteLackingWays(c)
	return o, c.checkDoors(o)
}

// addSystemLayer adds the layer of one of the system's files.
func (o *Origins) addSystemLayer(all values, read func() (*layer, error)) error {
	l, err := read()
	if err != nil || l == nil {
		return err
	}
	if err := o.addLayer(all, func() (*layer, error) { return l, nil }); err != nil {
		return err
	}
	own := systemLimits{Default(), map[string]string{}}
	own.take(l.values)
	for key := range l.values {
		own.of[key] = l.origin(key)
	}
	o.limits = append(o.limits, own)
	return nil
}

// keepOrigins keeps the origins of limits that a user may ask about.
func (c *Config) keepOrigins(o *Origins) {
	for _, limit := range []struct {
		set bool
		key string
		to  *string
	}{
		{c.ReadOnly, "readonly", &c.ReadOnlyFrom}, {c.Serve != ServeAny, "serve", &c.ServeFrom},
		{!c.Record, "record", &c.RecordFrom}, {!c.Logs, "logs", &c.LogsFrom},
		{c.MaxNodes > 0, "max_nodes", &c.MaxNodesFrom}, {c.MaxPrograms > 0, "max_programs", &c.MaxProgramsFrom},
		{c.Notify.Allow != NotifyAny, "notify.allow", &c.Notify.AllowFrom},
	} {
		if limit.set {
			*limit.to = o.Of(limit.key)
		}
	}
}

// Remarks are the lines about the settings that a user should read at the start. Everything that is passed over shares
// one line.
func (o *Origins) Remarks() []string {
	var all []string
	if n := len(o.PassedOver); n == 1 {
		all = append(all, o.PassedOver[0])
	} else if n > 1 {
		all = append(all, fmt.Sprintf("%s (and %d more: nvnodetop config --check)", o.PassedOver[0], n-1))
	}
	return append(all, o.Notes...)
}

// addLayer adds a layer, if all its values are valid.
func (o *Origins) addLayer(all values, read func() (*layer, error)) error {
	l, err := read()
	if err != nil || l == nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(l.values))
	if l.line != nil {
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(l.line(a), l.line(b)) })
	}
	for _, key := range keys {
		err := l.checkKey(key)
		switch {
		case l.line != nil && errors.Is(err, errUnknown):
			o.PassedOver = append(o.PassedOver, err.Error()+": ignored")
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

// errUnknown is the error for a key that no setting has. In a file, the key may belong to another version: several
// versions share the system's file, and a home.
var errUnknown = errors.New("unknown key")

// checkKey returns what is wrong with a key or its value.
func (l *layer) checkKey(key string) error {
	name, at := l.origin(key), ""
	if l.line != nil {
		name, at = key, l.origin(key)+": "
	}
	value := l.values[key]
	s := findSetting(key)
	if s == nil {
		table, isMap := value.(map[string]any)
		switch {
		case isMap && len(table) == 0 && isTable(key):
			return nil
		case isTable(key):
			return fmt.Errorf("%s%s must be a table: [%s]", at, name, key)
		}
		return fmt.Errorf("%s%w %q (%s)", at, errUnknown, name, nearestKey(key))
	}
	var scratch Config
	if !s.take(&scratch, value) {
		if s.wrong != nil && s.wrong(value) != "" {
			return fmt.Errorf("%s%s %s", at, name, s.wrong(value))
		}
		return fmt.Errorf("%s%s must be %s%s, not %s%s", at, name, s.want, s.suchAs(l.line != nil), describeValue(value),
			text.Meant(fmt.Sprint(value), s.among))
	}
	return nil
}

// WrongInterval is the error of a value that is no valid interval. name is what the user calls the setting.
func WrongInterval(name, key, text string) error {
	l := &layer{values: values{key: textValue(text)}, origin: func(string) string { return name }}
	return l.checkKey(key)
}

// suchAs names a valid value, as a file or a command line has it.
func (s *setting) suchAs(inFile bool) string {
	example := s.example
	if inFile {
		example = cmp.Or(s.exampleInFile, example)
	}
	if example == "" {
		return ""
	}
	return ", such as " + example
}

// take sets the settings that have a value.
func (c *Config) take(all values) {
	for i := range settings {
		if v, set := all[settings[i].key]; set {
			settings[i].take(c, v)
		}
	}
}

// applyLimits brings the settings within the limits of all of the system's files, and notes values of the user that
// exceeded them.
func (o *Origins) applyLimits(c *Config) {
	for i := range settings {
		s := &settings[i]
		if s.bind == nil {
			continue
		}
		before := s.show(c)
		limit := cmp.Or(s.bound, s.key)
		where, exceeded := o.limitSetting(s, c)
		if !exceeded {
			continue
		}
		if from := o.of[s.key]; from != "" && s.bound == "" && where == "" {
			o.Notes = append(o.Notes, fmt.Sprintf("%s = %s (%s) does not count: only the system's file sets it", s.key,
				before, from))
		} else if from != "" && !o.bySystem(s.key, from) {
			o.Notes = append(o.Notes, fmt.Sprintf("%s = %s (%s) becomes %s: the limit is %s (%s)", s.key, before, from,
				s.show(c), limit, where))
		}
		o.of[s.key] = where
	}
}

// limitSetting brings a setting within the limits of all of the system's files that limit it. It returns the origin of
// the last limit that the setting exceeded.
func (o *Origins) limitSetting(s *setting, c *Config) (where string, exceeded bool) {
	if s.bound != "" {
		return o.Of(s.bound), s.bind(c, nil)
	}
	limited := false
	for i := range o.limits {
		from, set := o.limits[i].of[s.key]
		limited = limited || set
		if set && s.bind(c, &o.limits[i].Config) {
			where, exceeded = from, true
		}
	}
	if !limited {
		none := Default()
		return "", s.bind(c, &none)
	}
	return where, exceeded
}

// bySystem reports whether a key comes from one of the system's files.
func (o *Origins) bySystem(key, from string) bool {
	return slices.ContainsFunc(o.limits, func(l systemLimits) bool { return l.of[key] == from })
}

// envPrefix is the beginning of our environment variables.
const envPrefix = "NVNODETOP_"

// variableName returns the environment variable of a key.
func variableName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, delim, "_"))
}

// ownVariables are variables by which the program's parts tell each other something. Their names may be close to one.
var ownVariables = []string{"NVNODETOP_MARKS", "NVNODETOP_FOLD", "NVNODETOP_NAME"}

// readEnvironment reads the environment. An unknown variable may belong to anything, such as a module file, unless its
// name is close to that of a setting.
func readEnvironment(environ []string) (*layer, error) {
	keys := map[string]string{}
	var names []string
	for i := range settings {
		name := variableName(settings[i].key)
		keys[name] = settings[i].key
		names = append(names, name)
	}
	l := &layer{values: values{}, origin: variableName}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if key := keys[name]; key != "" {
			l.values[key] = textValue(value)
		} else if near, far := text.Nearest(name, names); strings.HasPrefix(name, envPrefix) && far <= typo &&
			!slices.Contains(ownVariables, name) {
			return nil, fmt.Errorf("unknown variable %q in the environment (the nearest is %s)", name, near)
		}
	}
	return l, nil
}

// commandLine reads the flags and arguments.
func commandLine(line map[string]Word) (*layer, error) {
	l := &layer{values: values{}, origin: func(key string) string { return line[key].Name }}
	for key, word := range line {
		l.values[key] = textValue(word.Text)
	}
	return l, nil
}
