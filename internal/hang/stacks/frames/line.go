// Package frames says in words where a thread is, by its Python frames, and what it waits for: other ranks, another
// thread, or requests. It follows a wait to its end, and says what the kernel counted for a process between two looks
// at it.
package frames

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Line is a stack in one line: the frame that waits, how the program got there, and the program's own frame.
type Line struct {
	Head, Where string   // the function that waits, and its place
	Via         []string // functions between it and the program's own, innermost first
	Own, At     string   // the program's own function, and its place; "": Head is its own, or there is none
}

// String writes the line.
func (l Line) String() string {
	text := l.Head
	if l.Where != "" {
		text += "  " + l.Where
	}
	for _, via := range l.Via {
		text += " ← " + via
	}
	if l.Own != "" {
		text += " ← " + l.Own + "  " + l.At
	}
	return text
}

// codeOrigin says to whom the code of a file belongs.
type codeOrigin int

const (
	ofProgram codeOrigin = iota
	ofPackage            // installed
	ofPython             // Python's standard library
)

// Parts of the paths of installed packages, and of Python's own files.
var packages = []string{"/site-packages/", "/dist-packages/"}

// originOf determines the origin of a file from its path, and shortens the path.
func originOf(file string) (codeOrigin, string) {
	for _, dir := range packages {
		if at := strings.LastIndex(file, dir); at >= 0 {
			return ofPackage, file[at+len(dir):]
		}
	}
	for _, lib := range []string{"/lib/python3", "/lib64/python3"} {
		if at := strings.LastIndex(file, lib); at >= 0 {
			if _, rest, is := strings.Cut(file[at+len(lib):], "/"); is {
				return ofPython, rest
			}
		}
	}
	switch {
	case isCell(file):
		return ofProgram, cellOf(file)
	case isMade(file):
		return ofPython, file
	}
	return ofProgram, shortOwn(file)
}

// isMade reports whether code has no file: it is frozen into Python, a package generated it (<eval_with_key>.3, <attrs
// generated init Batch>), or it was given to Python as an argument.
func isMade(file string) bool { return strings.HasPrefix(file, "<") }

// byNumber starts the name of a cell that has its number: "<ipython-input-3-ab12>".
const byNumber = "<ipython-input-"

// isCell reports whether code belongs to a cell of a notebook; ipykernel puts its own name into the file's name.
func isCell(file string) bool {
	return strings.HasPrefix(file, byNumber) || strings.HasPrefix(path.Base(path.Dir(file)), "ipykernel_")
}

// cellOf names a cell, by its number if its file has one.
func cellOf(file string) string {
	number, _, _ := strings.Cut(strings.TrimPrefix(file, byNumber), "-")
	if _, err := strconv.Atoi(number); err != nil || !strings.HasPrefix(file, byNumber) {
		return "a notebook cell"
	}
	return "notebook cell " + number
}

// shortOwn returns the name of a file of the program, with its directory if the name alone says nothing.
func shortOwn(file string) string {
	name := path.Base(file)
	switch name {
	case "__init__.py", "__main__.py", "main.py":
		return path.Join(path.Base(path.Dir(file)), name)
	case ".", "/":
		return file
	}
	return name
}

// Short shortens the path of a file as a Line does.
func Short(file string) string {
	_, short := originOf(file)
	return short
}

// At writes the place of a frame: "train.py:212".
func At(f *wire.Frame) string {
	place := Short(f.File)
	switch {
	case f.Line > 0 && isCell(f.File):
		place += ", line " + strconv.Itoa(f.Line)
	case f.Line > 0:
		place += ":" + strconv.Itoa(f.Line)
	}
	return place
}

// wrappers are functions that only call another function.
var wrappers = []string{"wrapper", "_wrapper", "_fn", "inner", "decorate_context", "_call_impl", "_wrapped_call_impl",
	"__call__"}

func isWrapper(f *wire.Frame) bool { return slices.Contains(wrappers, f.Function) }

// Of puts the frames of a thread into one line, innermost first.
func Of(frames []wire.Frame) Line {
	if len(frames) == 0 {
		return Line{}
	}
	own := ownOf(frames)
	head := headOf(frames, own)
	l := Line{Head: frames[head].Function, Where: At(&frames[head])}
	if head == own || own < 0 {
		l.Via = callerNames(frames[head+1:])
		return l
	}
	if entry := own - 1; entry > head {
		for entry > head && isWrapper(&frames[entry]) {
			entry--
		}
		if entry > head && frames[entry].Function != l.Head {
			l.Via = []string{frames[entry].Function}
		}
	}
	l.Own, l.At = frames[own].Function, At(&frames[own])
	return l
}

// ownOf returns the innermost frame of the program itself, including its code without a file; -1: there is none.
func ownOf(frames []wire.Frame) int {
	own := slices.IndexFunc(frames, func(f wire.Frame) bool { return frameOrigin(&f) == ofProgram })
	if own >= 0 {
		return own
	}
	return slices.IndexFunc(frames, func(f wire.Frame) bool { return f.File == "<string>" || f.File == "<stdin>" })
}

// Place writes where a thread is: "read_shard (train.py:39)", "load (PIL/Image.py:269) of read_shard (train.py:39)".
func (l Line) Place() string {
	text := l.Head + " (" + l.Where + ")"
	if l.Own != "" {
		text += " of " + l.Own + " (" + l.At + ")"
	}
	return text
}

func frameOrigin(f *wire.Frame) codeOrigin {
	o, _ := originOf(f.File)
	return o
}

// headOf returns the frame that waits. It is the innermost frame of a package, since Python's own library waits on
// behalf of everybody. If the program itself called that library, it is the function that the program called.
func headOf(frames []wire.Frame, own int) int {
	end := own
	if own < 0 {
		end = len(frames)
	}
	for i := range end {
		if frameOrigin(&frames[i]) == ofPackage && !isWrapper(&frames[i]) {
			return i
		}
	}
	return max(end-1, 0)
}

// callerNames returns the names of the next outer functions that say something: two at most.
func callerNames(frames []wire.Frame) (names []string) {
	for i := range frames {
		f := &frames[i]
		if f.Function == "<module>" || isWrapper(f) || frameOrigin(f) == ofPython {
			continue
		}
		if names = append(names, f.Function); len(names) == 2 {
			break
		}
	}
	return names
}
