package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Beside is a second system's file, in the place where the program is installed, such as a module. Its limits hold like
// those of SystemFile. If others than root and the owner of the program can write the file, only its limits count,
// since they only make settings stricter.
type Beside struct {
	Path  string // "": there is none
	owner uint32 // of the program
}

// BesideProgram returns the file of the running program: PREFIX/etc/nvnodetop/config.toml for PREFIX/bin/PROGRAM. Links
// to the program are followed first.
func BesideProgram() Beside {
	program, err := os.Executable()
	if err != nil {
		return Beside{}
	}
	return besideOf(program)
}

func besideOf(program string) Beside {
	path, err := filepath.EvalSymlinks(program)
	if err != nil || filepath.Base(filepath.Dir(path)) != "bin" {
		return Beside{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return Beside{}
	}
	prefix := filepath.Dir(filepath.Dir(path))
	return Beside{filepath.Join(prefix, "etc", "nvnodetop", "config.toml"), ownerOf(info)}
}

// readBeside reads the file of settings beside the program, if there is one.
func (o *Origins) readBeside(b Beside) (*layer, error) {
	if b.Path == "" {
		return nil, nil
	}
	if _, err := os.Stat(b.Path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	l, err := o.readSettings(b.Path)
	if err != nil || l == nil {
		return nil, err
	}
	doubt, err := b.unsafeReason()
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	if doubt != "" {
		o.PassedOver = append(o.PassedOver, fmt.Sprintf("%s: only its limits count, since %s", b.Path, doubt))
		maps.DeleteFunc(l.values, func(key string, _ any) bool { return !isLimit(key) })
	}
	return l, nil
}

// unsafeReason says why others than root and the owner of the program can change the file or its directory, and how to
// repair that; "": they cannot.
func (b Beside) unsafeReason() (string, error) {
	var open []string
	for _, path := range []string{filepath.Dir(b.Path), b.Path} {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		if owner := ownerOf(info); owner != 0 && owner != b.owner {
			return fmt.Sprintf("%s belongs to the user %d (chown %d %s)", path, owner, b.owner, path), nil
		}
		if info.Mode().Perm()&0o022 != 0 {
			open = append(open, path)
		}
	}
	if open == nil {
		return "", nil
	}
	return "others than its owner can write it (chmod go-w " + strings.Join(open, " ") + ")", nil
}

// isLimit reports whether a key is a limit that only makes settings stricter: none of its values is looser than the
// default. Texts for users and the list of admins are no such limits.
func isLimit(key string) bool {
	s := findSetting(key)
	return s != nil && s.bind != nil && s.bound == "" &&
		!slices.Contains([]string{"admins", "banner", "help_url"}, key)
}

func ownerOf(info fs.FileInfo) uint32 {
	if stat, is := info.Sys().(*syscall.Stat_t); is {
		return stat.Uid
	}
	return 0
}
