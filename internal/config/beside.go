package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Beside is a second system's file: that of the place where the program is installed, such as a module. Its limits hold
// like those of SystemFile, so only root and the owner of the program may write it.
type Beside struct {
	Path  string // "": there is none
	owner uint32 // of the program
}

// BesideProgram returns the file of the running program: PREFIX/etc/nvnodetop/config.toml of PREFIX/bin/PROGRAM. Links
// to the program do not count.
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

// beside reads the file, if there is one. A file that others could have written ends the program: it may lack limits.
func (o *Origins) beside(b Beside) (*layer, error) {
	if b.Path == "" {
		return nil, nil
	}
	if _, err := os.Stat(b.Path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	for _, path := range []string{filepath.Dir(b.Path), b.Path} {
		if err := b.trust(path); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	return o.file(b.Path)
}

// trust returns the reason why others than root and the owner of the program can change a file or a directory.
func (b Beside) trust(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if owner := ownerOf(info); owner != 0 && owner != b.owner {
		return fmt.Errorf("%q belongs to the user %d: only root and the owner of the program (%d) may write it", path,
			owner, b.owner)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%q can be written by others than its owner (chmod go-w prevents that)", path)
	}
	return nil
}

func ownerOf(info fs.FileInfo) uint32 {
	if stat, is := info.Sys().(*syscall.Stat_t); is {
		return stat.Uid
	}
	return 0
}
