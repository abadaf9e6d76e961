package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nvnodetop/nvnodetop/internal/config/document"
)

// mark is a mark that some editors put at the beginning of a file, and that is not part of the text.
const mark = "\ufeff"

// maxFile is the size of the largest file of settings that is read, in bytes.
const maxFile = 1 << 20

// UserFile returns the path of the user's file of settings; "" without a home.
func UserFile() string {
	path, _ := userFilePath("XDG_CONFIG_HOME", ".config", "config.toml")
	return path
}

// readSettings reads a file of settings, if there is one.
func (o *Origins) readSettings(path string) (*layer, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readContents(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("settings: %w", err)
	}
	o.Files = append(o.Files, path)
	d, err := document.Parse(strings.TrimPrefix(text, mark))
	if err != nil {
		return nil, addLocation(path, text, err)
	}
	origin := func(key string) string { return fmt.Sprintf("%s:%d", path, d.LineOf(key)) }
	return &layer{values: document.Flat(d.Values), line: d.LineOf, origin: origin}, nil
}

// readContents reads a file.
func readContents(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%q is a directory: it must be a file", path)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return "", fmt.Errorf("%q is not a file of at most %d bytes", path, maxFile)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// addLocation adds the file and the line to an error in a text. The usual slips are explained by their rule.
func addLocation(path, text string, err error) error {
	if at, known := errors.AsType[*toml.DecodeError](err); known {
		line, _ := at.Position()
		why := strings.ReplaceAll(strings.TrimPrefix(at.Error(), "toml: "), "\n", " ")
		if lines := strings.Split(text, "\n"); line >= 1 && line <= len(lines) {
			why = cmp.Or(explainSlip(lines[line-1]), why)
		}
		return fmt.Errorf("%s:%d: %s", path, line, why)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// userFilePath returns the path of one of our files. It is in the directory that an environment variable names, or else
// in a directory below the home directory.
func userFilePath(variable, otherwise, name string) (string, error) {
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
