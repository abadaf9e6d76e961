package python

import (
	"encoding/binary"
	"fmt"
)

// cpythonLayout says where a version of CPython keeps what a stack needs, in bytes from the beginning of each
// structure. The structures are the same on amd64 and arm64.
type cpythonLayout struct {
	interpreters uint64 // in the runtime: the first one
	// The interpreter's lock: up to 3.11 in the runtime, later behind a pointer in the interpreter.
	gil         struct{ inRuntime, pointer, holder, locked uint64 }
	interpreter struct{ next, threads uint64 }
	thread      struct{ next, interpreter, frame, id, native uint64 }
	frame       struct{ back, code, instruction, owner uint64 }
	code        struct{ file, name, firstLine, table, instructions uint64 }
	typ         uint64 // of an object
	bytes       struct{ size, data uint64 }
	text        struct{ length, state, ascii, compact uint64 }

	inCFrame bool   // thread.frame is a pointer to a structure that has the frame, as in 3.11 and 3.12
	current  uint64 // offset of the frame in that structure
	native   bool   // threads know their kernel thread number
	lines    lineTable
	entries  bool // the outermost frame is one of these:
	shims    byte // frames with this owner or a higher one are not calls of Python functions; 0: there are no owners
}

// lineTable is a format of the line number table.
type lineTable int

const (
	lnotab    lineTable = iota // 3.8 and 3.9: pairs of bytes and lines
	ranges                     // 3.10: the same, with ranges that have no line
	locations                  // 3.11 and later; here the position is a pointer to the instruction, not a number
)

// Sizes of the structures, from their beginning to the last part that is needed.
func (l *cpythonLayout) threadSpan() uint64 {
	t := &l.thread
	return max(t.next, t.interpreter, t.frame, t.id, t.native) + 8
}

func (l *cpythonLayout) frameSpan() uint64 {
	f := &l.frame
	return max(f.back+8, f.code+8, f.instruction+8, f.owner+1)
}

func (l *cpythonLayout) codeSpan() uint64 {
	c := &l.code
	return max(l.typ, c.file, c.name, c.firstLine, c.table) + 8
}

// layoutOf returns the layout of a minor version of Python 3 from before CPython described itself. The numbers come
// from its headers: scripts/pythons prints them.
func layoutOf(minor int) (l cpythonLayout, known bool) {
	switch minor {
	case 8:
		return before11(1160, 104, lnotab), true
	case 9:
		return before11(360, 104, lnotab), true
	case 10:
		return before11(360, 96, ranges), true
	case 11:
		return in11(), true
	case 12:
		return in12(), true
	}
	return l, false
}

// before11 returns the layout of the versions in which a frame was always an object.
func before11(gil, lastInstruction uint64, lines lineTable) (l cpythonLayout) {
	l.interpreters = 32
	l.gil.inRuntime, l.gil.holder, l.gil.locked = gil, 0, 8
	l.interpreter.next, l.interpreter.threads = 0, 8
	l.thread.next, l.thread.interpreter, l.thread.frame, l.thread.id = 8, 16, 24, 176
	l.frame.back, l.frame.code, l.frame.instruction = 24, 32, lastInstruction
	l.code.firstLine, l.code.file, l.code.name, l.code.table = 40, 104, 112, 120
	l.typ, l.bytes.size, l.bytes.data = 8, 16, 32
	l.text.length, l.text.state, l.text.ascii, l.text.compact = 16, 32, 48, 72
	l.lines = lines
	return l
}

func in11() cpythonLayout {
	l := before11(368, 56, locations)
	l.interpreters, l.interpreter.threads = 40, 16
	l.thread.frame, l.thread.id, l.thread.native, l.native = 56, 152, 160, true
	l.inCFrame, l.current = true, 8
	l.frame.code, l.frame.back, l.frame.owner = 32, 48, 69
	l.code.firstLine, l.code.file, l.code.name, l.code.table, l.code.instructions = 72, 112, 120, 136, 184
	l.shims = 3 // none has this owner yet
	return l
}

func in12() cpythonLayout {
	l := in11()
	l.gil.inRuntime, l.gil.pointer, l.gil.holder, l.gil.locked = 0, 384, 8, 16
	l.interpreter.threads = 72
	l.thread.id, l.thread.native, l.current = 136, 144, 0
	l.frame.code, l.frame.back, l.frame.owner, l.entries = 0, 8, 70, true
	l.code.firstLine, l.code.instructions = 68, 192
	l.text.ascii, l.text.compact = 40, 56
	return l
}

// cookie starts a runtime that describes itself, from 3.13 on. The version and other 8-byte numbers follow it.
const cookie = "xdebugpy"

// described is how many bytes of a description are read: more than any version has.
const described = 1024

// describedLayout reads the description at the beginning of a runtime; known is false if there is none.
func describedLayout(head []byte) (l cpythonLayout, version string, known bool, err error) {
	if len(head) < described || string(head[:len(cookie)]) != cookie {
		return l, "", false, nil
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(head[len(cookie)+8*i:]) }
	version = versionOf(number(0))
	minor := int(number(0)>>16&0xff) - 13
	if number(0)>>24 != 3 || minor < 0 || minor > 2 {
		return l, version, true, &VersionError{version}
	}
	if number(1) != 0 {
		return l, version, true, &VersionError{version + " without the GIL"}
	}
	l.lines, l.native, l.entries, l.shims = locations, true, true, 3
	var gil uint64
	for _, p := range []struct {
		at    [3]int // its index among the numbers in 3.13, 3.14 and 3.15
		to    *uint64
		limit uint64
	}{
		{[3]int{4, 4, 4}, &l.interpreters, 1 << 24},
		{[3]int{7, 7, 7}, &l.interpreter.next, 1 << 24},
		{[3]int{8, 8, 8}, &l.interpreter.threads, 1 << 24},
		{[3]int{13, 14, 14}, &l.gil.pointer, 1 << 24},
		{[3]int{14, 15, 15}, &gil, 1 << 24},
		{[3]int{16, 17, 17}, &l.gil.locked, 1 << 24},
		{[3]int{17, 18, 18}, &l.gil.holder, 1 << 24},
		{[3]int{20, 23, 23}, &l.thread.next, 1 << 12},
		{[3]int{21, 24, 24}, &l.thread.interpreter, 1 << 12},
		{[3]int{22, 25, 25}, &l.thread.frame, 1 << 12},
		{[3]int{23, 26, 29}, &l.thread.id, 1 << 12},
		{[3]int{24, 27, 30}, &l.thread.native, 1 << 12},
		{[3]int{28, 31, 39}, &l.frame.back, 1 << 12},
		{[3]int{29, 32, 40}, &l.frame.code, 1 << 12},
		{[3]int{30, 33, 41}, &l.frame.instruction, 1 << 12},
		{[3]int{32, 35, 43}, &l.frame.owner, 1 << 12},
		{[3]int{34, 39, 47}, &l.code.file, 1 << 12},
		{[3]int{35, 40, 48}, &l.code.name, 1 << 12},
		{[3]int{37, 42, 50}, &l.code.table, 1 << 12},
		{[3]int{38, 43, 51}, &l.code.firstLine, 1 << 12},
		{[3]int{42, 47, 55}, &l.code.instructions, 1 << 12},
		{[3]int{44, 50, 58}, &l.typ, 1 << 12},
		{[3]int{64, 74, 86}, &l.bytes.size, 1 << 12},
		{[3]int{65, 75, 87}, &l.bytes.data, 1 << 12},
		{[3]int{67, 77, 89}, &l.text.state, 1 << 12},
		{[3]int{68, 78, 90}, &l.text.length, 1 << 12},
		{[3]int{69, 79, 91}, &l.text.ascii, 1 << 12},
	} {
		if *p.to = number(p.at[minor]); *p.to >= p.limit {
			return l, version, true, errSense
		}
	}
	l.gil.holder, l.gil.locked, l.text.compact = l.gil.holder-gil, l.gil.locked-gil, l.text.ascii+16
	if !l.hasHeaders() {
		return l, version, true, errSense
	}
	return l, version, true, nil
}

// hasHeaders reports whether what is read of a str and of bytes, up to their data, covers all needed parts.
func (l *cpythonLayout) hasHeaders() bool {
	return l.bytes.data >= max(l.typ, l.bytes.size)+8 &&
		l.text.ascii >= max(l.typ+8, l.text.length+8, l.text.state+4)
}

// versionOf returns the version that a number stands for: 0x030c04f0 is 3.12.4.
func versionOf(hex uint64) string {
	return fmt.Sprintf("%d.%d.%d", hex>>24&0xff, hex>>16&0xff, hex>>8&0xff)
}
