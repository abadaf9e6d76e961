package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/nvnodetop/nvnodetop/internal/health"
)

// maxFile is the largest file of settings, in bytes, that is read.
const maxFile = 1 << 20

// Read takes the settings of the user's file, $XDG_CONFIG_HOME/nvnodetop/config.toml. Without that file nothing changes.
func (c *Config) Read() error {
	path, _ := path("XDG_CONFIG_HOME", ".config", "config.toml")
	if path == "" {
		return nil // without a home there is no file
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("settings: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return fmt.Errorf("settings: %q is not a file of at most %d bytes", path, maxFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := c.parse(string(text)); err != nil {
		return located(path, err)
	}
	return nil
}

// located names the file and the line of an error.
func located(path string, err error) error {
	if at, known := errors.AsType[toml.ParseError](err); known {
		return fmt.Errorf("%s:%d: %s", path, at.Position.Line, strings.ReplaceAll(at.Message, "\n", " "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// parse takes settings in TOML. It decodes key by key, so that each error has the line of its key.
func (c *Config) parse(text string) error {
	var tables map[string]toml.Primitive
	meta, err := toml.Decode(text, &tables)
	if err != nil {
		return err
	}
	for _, key := range meta.Keys() {
		if err := c.take(&meta, tables, key); err != nil {
			return err
		}
	}
	return nil
}

// take takes one key of the file.
func (c *Config) take(meta *toml.MetaData, tables map[string]toml.Primitive, key toml.Key) error {
	if key[0] != "thresholds" {
		return meta.PrimitiveDecode(tables[key[0]], wrong(fmt.Sprintf("unknown key %q (thresholds is known)", key[0])))
	}
	var values map[string]toml.Primitive
	if meta.PrimitiveDecode(tables[key[0]], &values) != nil || values == nil {
		return meta.PrimitiveDecode(tables[key[0]], wrong("thresholds must be a table: [thresholds]"))
	}
	if len(key) == 1 {
		return nil
	}
	t, known := health.Named(key[1])
	if !known {
		return meta.PrimitiveDecode(values[key[1]], wrong(fmt.Sprintf("unknown threshold %q%s", key[1], like(key[1]))))
	}
	return meta.PrimitiveDecode(values[key[1]], &threshold{t.Row(), &c.Thresholds[t]})
}

// like suggests the thresholds whose names begin alike.
func like(key string) string {
	first, _, _ := strings.Cut(key, "_")
	var alike []string
	for _, name := range health.Names() {
		if strings.HasPrefix(name, first) {
			alike = append(alike, name)
		}
	}
	if len(alike) == 0 {
		return ""
	}
	slices.Sort(alike)
	return " (known: " + strings.Join(alike, ", ") + ")"
}

// wrong is the error of any value that is decoded into it. The decoder adds the line.
type wrong string

// UnmarshalTOML implements toml.Unmarshaler.
func (w wrong) UnmarshalTOML(any) error { return errors.New(string(w)) }

// threshold decodes a number in its range.
type threshold struct {
	health.ThresholdRow
	to *float64
}

// UnmarshalTOML implements toml.Unmarshaler.
func (t *threshold) UnmarshalTOML(value any) error {
	var number float64
	switch v := value.(type) {
	case int64:
		number = float64(v)
	case float64:
		number = v
	default:
		return fmt.Errorf("%s must be a number, not %q", t.Key, fmt.Sprint(v))
	}
	if !(number >= t.Low && number <= t.High) { // NaN too
		return fmt.Errorf("%s = %v is out of range (%g to %g)", t.Key, value, t.Low, t.High)
	}
	*t.to = number
	return nil
}

// path returns the path of one of our files in the directory that the environment names, or else in that one of the home directory.
func path(variable, otherwise, name string) (string, error) {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, otherwise)
	}
	return filepath.Join(dir, "nvnodetop", name), nil
}
