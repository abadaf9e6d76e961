package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

// maxFile is the largest file of settings, in bytes, that is read.
const maxFile = 1 << 20

// UserFile returns the path of the user's file of settings; "" without a home.
func UserFile() string {
	path, _ := path("XDG_CONFIG_HOME", ".config", "config.toml")
	return path
}

// file reads a file of settings. There need not be one.
func (o *Origins) file(path string) (*layer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := contents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("settings: %w", err)
	}
	o.Files = append(o.Files, path)
	k, p := koanf.New(delim), parser{}
	if err := k.Load(rawbytes.Provider(text), p); err != nil {
		return nil, located(path, err)
	}
	origin := func(key string) string { return fmt.Sprintf("%s:%d", path, p.line(key)) }
	return &layer{values: k, line: p.line, origin: origin}, nil
}

func contents(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%q is not a file of at most %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// located names the file and the line of an error.
func located(path string, err error) error {
	if at, known := errors.AsType[toml.ParseError](err); known {
		return fmt.Errorf("%s:%d: %s", path, at.Position.Line, strings.ReplaceAll(at.Message, "\n", " "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// parser parses TOML for koanf, and notes the line of each key: koanf's own parser does not tell it.
type parser map[string]int

// line returns the line of a key, or that of its table.
func (p parser) line(key string) int {
	for ; p[key] == 0 && key != ""; key = key[:max(strings.LastIndex(key, delim), 0)] {
	}
	return cmp.Or(p[key], 1)
}

// Unmarshal implements koanf.Parser.
func (p parser) Unmarshal(text []byte) (map[string]any, error) {
	var raw map[string]toml.Primitive
	meta, err := toml.Decode(string(text), &raw)
	if err != nil {
		return nil, err
	}
	for _, key := range meta.Keys() {
		for _, part := range key {
			if strings.Contains(part, delim) {
				return nil, fmt.Errorf("the key %q has a dot in it", part)
			}
		}
	}
	p.note(&meta, raw, "")
	var values map[string]any
	_, err = toml.Decode(string(text), &values)
	return values, err
}

// note notes the lines of the keys of a table.
func (p parser) note(meta *toml.MetaData, table map[string]toml.Primitive, prefix string) {
	for name, value := range table {
		if at, known := errors.AsType[toml.ParseError](meta.PrimitiveDecode(value, wrong{})); known {
			p[prefix+name] = at.Position.Line
		}
		var inner map[string]toml.Primitive
		if meta.PrimitiveDecode(value, &inner) == nil {
			p.note(meta, inner, prefix+name+delim)
		}
	}
}

// Marshal implements koanf.Parser.
func (parser) Marshal(map[string]any) ([]byte, error) { return nil, errors.ErrUnsupported }

// wrong refuses every value, so that the decoder tells its line.
type wrong struct{}

// UnmarshalTOML implements toml.Unmarshaler.
func (wrong) UnmarshalTOML(any) error { return errors.New("") }

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
