package memory

import (
	"errors"
	"path"
	"strings"
)

// Limits of an environment.
const (
	maxVariables = 4096
	maxVariable  = 32 << 10 // bytes of one; the rest is left out
	maxEnviron   = 1 << 20
)

// ErrOneCopy means that a program has no other copy of its environment.
var ErrOneCopy = errors.New("it has no other copy")

// Environ reads the environment of a program that has overwritten its original one, which lies between these addresses.
// The program's C library has a copy, including what the program has set since. Each variable ends with a zero byte.
// Variables that are still at the old place are not trusted, and the rest may lack the deciding one.
func (p *Process) Environ(areas []Area, program string, from, to uint64) ([]byte, error) {
	list, err := p.findEnviron(areas, program)
	if err != nil {
		return nil, err
	}
	if to <= from {
		return nil, ErrPlace
	}
	var text []byte
	for n := range uint64(maxVariables) {
		at, err := p.Word(list + 8*n)
		if err != nil {
			return nil, err
		}
		if at == 0 {
			return text, nil
		}
		if at >= from && at < to {
			return nil, ErrOneCopy
		}
		variable, err := p.Text(at, maxVariable)
		if err != nil {
			return nil, err
		}
		if text = append(append(text, variable...), 0); len(text) > maxEnviron {
			return nil, ErrBounds
		}
	}
	return nil, ErrBounds
}

// findEnviron finds the list of variables. If the program itself has a symbol for it, the list is in the program, and
// the C library uses that one.
func (p *Process) findEnviron(areas []Area, program string) (uint64, error) {
	failed := ErrSymbol
	for _, of := range []func(name string) bool{
		func(name string) bool { return name == program },
		func(name string) bool { return isLibrary(path.Base(name)) },
	} {
		for i := range areas {
			if areas[i].Offset > 0 || areas[i].Path == "" || !of(areas[i].Path) {
				continue
			}
			image, err := p.Image(areas[i].From)
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			for _, name := range []string{"environ", "__environ"} {
				if at, err := image.Symbol(name); err == nil {
					return p.Word(at)
				}
			}
		}
	}
	return 0, failed
}

// NamesEnviron reports whether a file may have a symbol for the list of variables: the program, or a C library.
func NamesEnviron(file, program string) bool { return file == program || isLibrary(path.Base(file)) }

// isLibrary reports whether a file is a C library: "libc.so.6", "libc-2.31.so", "ld-musl-x86_64.so.1".
func isLibrary(name string) bool {
	return strings.HasPrefix(name, "libc.") || strings.HasPrefix(name, "libc-") || strings.HasPrefix(name, "ld-musl-")
}
