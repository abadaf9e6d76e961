package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Save writes the values of some keys to a file of settings, and keeps everything else in it. The file is replaced at once, and
// keeps its mode; only its owner can read a new one.
func (c *Config) Save(path string, keys ...string) error {
	if path == "" {
		return errors.New("there is no home directory for a file of settings")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil { // a link to a directory of settings stays one
		path = real
	}
	text, err := contents(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, key := range keys {
		s := named(key)
		if s == nil {
			return fmt.Errorf("there is no setting %q", key)
		}
		if text, err = edit(text, key, s.show(c)); err != nil {
			return located(path, err)
		}
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(path, text, mode)
}

// replace writes a file beside the old one, and puts it in its place.
func replace(path, text string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*.toml")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = cmp.Or(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	return err
}
