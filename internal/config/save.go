package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/config/document"
)

// Save writes the values of some keys to a file of settings, and keeps everything else in it. It replaces the file
// atomically, and keeps its mode and, if permitted, its owner and group. A new file is readable only by its owner. A
// link to a file stays a link.
func (c *Config) Save(path string, keys ...string) error {
	if path == "" {
		return errors.New("there is no home directory for a file of settings")
	}
	path, err := resolveLink(path)
	if err != nil {
		return err
	}
	text, err := readContents(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if text, err = c.editText(path, text, keys); err != nil {
		return err
	}
	old, err := os.Stat(path)
	if err != nil {
		old = nil
	}
	return replaceFile(path, text, old)
}

// editText returns the text of a file with the values of some keys.
func (c *Config) editText(path, text string, keys []string) (string, error) {
	text, marked := strings.CutPrefix(text, mark)
	for _, key := range keys {
		s := findSetting(key)
		if s == nil {
			return "", fmt.Errorf("there is no setting %q", key)
		}
		edited, err := document.Edit(text, key, s.show(c))
		if err != nil {
			return "", addLocation(path, text, err)
		}
		text = edited
	}
	if marked {
		text = mark + text
	}
	return text, nil
}

// resolveLink returns the path that a link leads to. The file need not exist, but its directory must.
func resolveLink(path string) (string, error) {
	end, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return end, err
	}
	to, err := os.Readlink(path)
	if errors.Is(err, fs.ErrNotExist) { // not a link, but a new file
		return path, nil
	}
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(to) {
		to = filepath.Dir(path) + string(filepath.Separator) + to
	}
	dir, name := filepath.Split(to)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("%q is a link to %q, whose directory cannot be used: %w", path, to, err)
	}
	return resolveLink(filepath.Join(dir, name))
}

// replaceFile writes a file next to the old one, and moves it into its place. old is nil if there is no old file.
func replaceFile(path, text string, old fs.FileInfo) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*.toml")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = cmp.Or(err, copyAttributes(f, old), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	return err
}

// copyAttributes gives a new file the owner, the group and the mode of the old one.
func copyAttributes(f *os.File, old fs.FileInfo) error {
	if old == nil {
		return f.Chmod(0o600)
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	return cmp.Or(copyOwner(f, now, old), f.Chmod(old.Mode().Perm()))
}

// copyOwner gives a file the owner and the group of the old one. Only root can change the owner, and must do so. If the
// user is not in the group, the group is lost.
func copyOwner(f *os.File, now, old fs.FileInfo) error {
	is, known := now.Sys().(*syscall.Stat_t)
	was, knows := old.Sys().(*syscall.Stat_t)
	if !known || !knows {
		return nil
	}
	if is.Gid != was.Gid {
		_ = f.Chown(-1, int(was.Gid))
	}
	if is.Uid != was.Uid && os.Geteuid() == 0 {
		return f.Chown(int(was.Uid), -1)
	}
	return nil
}
