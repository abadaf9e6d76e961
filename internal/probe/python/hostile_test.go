package python

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/probe/memory"
)

// fake is the memory of a process that looks like CPython 3.12.
type fake struct {
	text  []byte // from base on
	reads int
	taken int
	torn  func(f *fake) // changes the memory before each read
}

const base = 0x10000

func (f *fake) read(pieces []memory.Piece) error {
	if f.reads++; f.torn != nil {
		f.torn(f)
	}
	for _, p := range pieces {
		if p.At < base || p.At+uint64(len(p.To)) > base+uint64(len(f.text)) {
			return errors.New("bad address")
		}
		f.taken += copy(p.To, f.text[p.At-base:])
	}
	return nil
}

// room gives the address of n new bytes.
func (f *fake) room(n int) uint64 {
	at := uint64(len(f.text))
	f.text = append(f.text, make([]byte, (n+15)/16*16)...)
	return base + at
}

func (f *fake) word(at, value uint64) { binary.LittleEndian.PutUint64(f.text[at-base:], value) }

func (f *fake) object(typ uint64, n int) uint64 {
	at := f.room(n)
	f.word(at+8, typ)
	return at
}

func (f *fake) typ(name string) uint64 {
	at, text := f.room(416), f.room(len(name)+1)
	copy(f.text[text-base:], name)
	f.word(at+typeName, text)
	return at
}

// interpreter is a fake with one thread.
type interpreter struct {
	*fake
	*Runtime
	code, str, bytesType uint64
	state, cframe        uint64
}

func newInterpreter(t testing.TB) *interpreter {
	t.Helper()
	i := &interpreter{fake: &fake{}}
	i.code, i.str, i.bytesType = i.typ("code"), i.typ("str"), i.typ("bytes")
	runtime, interp := i.room(1024), i.room(4096)
	i.state, i.cframe = i.room(512), i.room(64)
	i.word(runtime+40, interp)
	i.fake.word(interp+72, i.state)
	i.fake.word(i.state+16, interp)
	i.fake.word(i.state+56, i.cframe)
	l, _ := layoutOf(12)
	i.Runtime = &Runtime{mem: memory.New(i.read, time.Now().Add(time.Minute)), at: runtime, layout: l,
		types: map[uint64]string{}, codes: map[uint64]*code{}}
	return i
}

func (i *interpreter) word(at, value uint64) { i.fake.word(at, value) }

// text makes a str of characters of a width.
func (i *interpreter) textOf(text string, width int) uint64 {
	runes := []rune(text)
	state, data := uint64(width<<2|1<<5), uint64(56)
	if width == 1 && utf8.RuneCountInString(text) == len(text) {
		state, data = state|1<<6, 40
	}
	at := i.object(i.str, int(data)+len(runes)*width+4)
	i.word(at+16, uint64(len(runes)))
	i.word(at+32, state)
	for k, c := range runes {
		to := i.text[at-base+data+uint64(k*width):]
		switch width {
		case 1:
			to[0] = byte(c)
		case 2:
			binary.LittleEndian.PutUint16(to, uint16(c))
		default:
			binary.LittleEndian.PutUint32(to, uint32(c))
		}
	}
	return at
}

func (i *interpreter) function(name, file uint64, table []byte) uint64 {
	at := i.object(i.code, 512)
	i.word(at+112, file)
	i.word(at+120, name)
	i.word(at+68, 7)
	lines := i.object(i.bytesType, 32+len(table))
	i.word(lines+16, uint64(len(table)))
	copy(i.text[lines-base+32:], table)
	i.word(at+136, lines)
	return at
}

// call makes a frame. The outermost one is called by a shim.
func (i *interpreter) call(code, back uint64) uint64 {
	if back == 0 {
		back = i.room(96)
		i.text[back-base+70] = 3
	}
	at := i.room(96)
	i.word(at, code)
	i.word(at+8, back)
	i.word(at+56, code+192)
	return at
}

func (i *interpreter) stack(t *testing.T, inner uint64) (Stack, error) {
	t.Helper()
	i.word(i.cframe, inner)
	threads, err := i.Threads()
	if err != nil {
		return Stack{}, err
	}
	return i.Stack(&threads[0], func() string { return "" })
}

func TestFake(t *testing.T) {
	i := newInterpreter(t)
	f := i.function(i.textOf("train", 1), i.textOf("/é.py", 1), []byte{0x80, 0})
	g := i.function(i.textOf("имя", 2), i.textOf("/𝒳.py", 4), []byte{0x80 | 11<<3, 0, 0})
	s, err := i.stack(t, i.call(g, i.call(f, 0)))
	want := []Frame{{Function: "имя", File: "/𝒳.py", Line: 8}, {Function: "train", File: "/é.py", Line: 7}}
	if err != nil || len(s.Frames) != 2 || s.Frames[0] != want[0] || s.Frames[1] != want[1] || s.Moving || s.Deeper {
		t.Errorf("%+v, %v", s, err)
	}
}

// A thread that enters the interpreter has no call for a moment: its stack is read once more. A thread without any call
// has an empty stack.
func TestMomentWithoutACall(t *testing.T) {
	i := newInterpreter(t)
	inner := i.call(i.function(i.textOf("train", 1), i.textOf("f.py", 1), []byte{0x80, 0}), 0)
	i.word(i.cframe, 0)
	threads, err := i.Threads()
	if err != nil {
		t.Fatal(err)
	}
	began := i.reads
	i.torn = func(f *fake) {
		if f.reads > began+2 { // the first walk has seen that there is none
			f.word(i.cframe, inner)
		}
	}
	if s, err := i.Stack(&threads[0], func() string { return "" }); err != nil || len(s.Frames) != 1 {
		t.Errorf("a moment without a call: %+v, %v", s, err)
	}
	i.torn = nil
	if s, err := i.stack(t, 0); err != nil || len(s.Frames) != 0 {
		t.Errorf("no call: %+v, %v", s, err)
	}
}

// Memory that makes no sense, or endless, costs bounded time and bytes, and gives valid text.
func TestHostileMemory(t *testing.T) {
	escapes := "\x1b]0;owned\a\x1b[2J\u202e\x00\n" + strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		build  func(i *interpreter) uint64 // the innermost call
		frames int
		deeper bool
		fails  bool
	}{
		"a circle of calls": {fails: true, build: func(i *interpreter) uint64 {
			f := i.function(i.textOf("f", 1), i.textOf("f.py", 1), []byte{0x80, 0})
			last := i.call(f, 0)
			first := i.call(f, i.call(f, i.call(f, last)))
			i.word(last+8, first)
			return first
		}},
		"a call of itself": {fails: true, build: func(i *interpreter) uint64 {
			at := i.call(i.function(i.textOf("f", 1), i.textOf("f.py", 1), []byte{0x80, 0}), 0)
			i.word(at+8, at)
			return at
		}},
		"a million calls": {frames: MaxFrames, deeper: true, build: func(i *interpreter) (at uint64) {
			f := i.function(i.textOf("f", 1), i.textOf("f.py", 1), []byte{0x80, 0})
			for range 1_000_000 {
				at = i.call(f, at)
			}
			return at
		}},
		"names with escapes": {frames: 1, build: func(i *interpreter) uint64 {
			return i.call(i.function(i.textOf(escapes, 4), i.textOf(escapes, 2), []byte{0x80, 0}), 0)
		}},
		"characters that are none": {frames: 1, build: func(i *interpreter) uint64 {
			bad := i.textOf("abcdef", 4)
			for k := range uint64(6) {
				i.word(bad+56+4*k, 0xdeadbeefd800d800)
			}
			return i.call(i.function(bad, bad, []byte{0x80, 0}), 0)
		}},
		"an endless name": {frames: 1, build: func(i *interpreter) uint64 {
			long := i.textOf(strings.Repeat("ab", 5000), 1)
			i.word(long+16, 1<<29)
			return i.call(i.function(long, i.textOf("f.py", 1), []byte{0x80, 0}), 0)
		}},
		"a negative length": {fails: true, build: func(i *interpreter) uint64 {
			bad := i.textOf("a", 1)
			i.word(bad+16, 1<<63)
			return i.call(i.function(bad, bad, []byte{0x80, 0}), 0)
		}},
		"a huge table of lines": {frames: 1, build: func(i *interpreter) uint64 {
			f := i.function(i.textOf("f", 1), i.textOf("f.py", 1), make([]byte, 64))
			table, _ := i.mem.Word(f + 136)
			i.word(table+16, 1<<62)
			return i.call(f, 0)
		}},
		"a table of one endless number": {frames: 1, build: func(i *interpreter) uint64 {
			table := []byte(strings.Repeat("\x7f", 100_000))
			table[0] = 0x80 | 13<<3
			return i.call(i.function(i.textOf("f", 1), i.textOf("f.py", 1), table), 0)
		}},
		"code of another type": {fails: true, build: func(i *interpreter) uint64 {
			return i.call(i.textOf("f", 1), 0)
		}},
		"a generator without its caller": {fails: true, build: func(i *interpreter) uint64 {
			at := i.call(i.function(i.textOf("f", 1), i.textOf("f.py", 1), []byte{0x80, 0}), 0)
			i.word(at+8, 0)
			return at
		}},
		"nothing": {fails: true, build: func(*interpreter) uint64 { return 0xdeadbeef }},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInterpreter(t)
			inner := test.build(i)
			i.reads, i.taken = 0, 0
			began := time.Now()
			s, err := i.stack(t, inner)
			if took := time.Since(began); took > 5*time.Second || i.taken > 64<<20 {
				t.Errorf("it took %v, %d reads and %d bytes", took, i.reads, i.taken)
			}
			if (err != nil) != test.fails || len(s.Frames) != test.frames || s.Deeper != test.deeper {
				t.Errorf("%d frames, %v, %v", len(s.Frames), s.Deeper, err)
			}
			for _, f := range s.Frames {
				if len(f.Function) > MaxFunction || len(f.File) > MaxFile || f.Line < 0 ||
					!utf8.ValidString(f.Function) || !utf8.ValidString(f.File) {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// Memory that changes between any two reads gives an error, or frames that were there.
func TestMemoryThatChanges(t *testing.T) {
	i := newInterpreter(t)
	var at uint64
	for n := range 20 {
		at = i.call(i.function(i.textOf(string(rune('a'+n)), 1), i.textOf("f.py", 1), []byte{0x80, 0}), at)
	}
	i.word(i.cframe, at)
	random := rand.New(rand.NewPCG(1, 2))
	i.torn = func(f *fake) {
		for range 3 {
			f.text[random.IntN(len(f.text))] = byte(random.Uint32())
		}
	}
	whole := string(i.text)
	began := time.Now()
	for range 300 {
		copy(i.text, whole)
		threads, err := i.Threads()
		if err != nil {
			continue
		}
		s, _ := i.Stack(&threads[0], func() string { return "" })
		if len(s.Frames) > MaxFrames {
			t.Errorf("%d frames", len(s.Frames))
		}
		clear(i.codes)
		clear(i.types)
		i.mem = memory.New(i.read, time.Now().Add(time.Minute))
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A list of threads or interpreters in a circle ends, and so does a description without sense.
func TestHostileRuntime(t *testing.T) {
	i := newInterpreter(t)
	i.word(i.state+8, i.state)
	if list, err := i.Threads(); err == nil {
		t.Errorf("%d threads in a circle", len(list))
	}
	i = newInterpreter(t)
	interp, _ := i.mem.Word(i.at + 40)
	i.word(interp, interp)
	if list, err := i.Threads(); err == nil {
		t.Errorf("%d threads of interpreters in a circle", len(list))
	}
	i.word(interp+72, 0)
	i.reads = 0
	if _, err := i.Threads(); err == nil || i.reads > 10*maxInterpreters {
		t.Errorf("%d reads of interpreters without threads in a circle, %v", i.reads, err)
	}
	i.word(i.at+40, 0)
	if _, err := i.Threads(); !errors.Is(err, ErrStarting) {
		t.Error(err)
	}
	head := make([]byte, described)
	copy(head, cookie)
	binary.LittleEndian.PutUint64(head[8:], 0x030d00f0)
	if l, _, known, err := describedLayout(head); err == nil || !known { // nothing has room for anything
		t.Errorf("%+v", l)
	}
	head = describe()
	if _, version, known, err := describedLayout(head); err != nil || !known || version != "3.13.0" {
		t.Error(version, known, err)
	}
	for _, wrong := range []func(){
		func() { binary.LittleEndian.PutUint64(head[8+8*65:], 23) }, // data of bytes over their size
		func() { binary.LittleEndian.PutUint64(head[8+8*69:], 35) }, // data of a str over its state
		func() { binary.LittleEndian.PutUint64(head[8+8*29:], 1<<40) },
		func() { binary.LittleEndian.PutUint64(head[8+8:], 1) },
		func() { binary.LittleEndian.PutUint64(head[8:], 0x031000f0) },
		func() { binary.LittleEndian.PutUint64(head[8:], 0xffffffffffffffff) },
	} {
		head = describe()
		wrong()
		if l, _, known, err := describedLayout(head); err == nil || !known {
			t.Errorf("%+v", l)
		}
	}
}

// Tables of lines have any bytes.
func FuzzLines(f *testing.F) {
	f.Add([]byte{0x80 | 13<<3, 0x7f, 0x3f, 0xff}, 3)
	f.Add([]byte{2, 0x80, 255, 127}, 300)
	f.Fuzz(func(t *testing.T, table []byte, unit int) {
		for _, format := range []lineTable{lnotab, ranges, locations} {
			if line := (&code{first: 1, table: table}).lineOfUnit(format, unit); line < 0 {
				t.Errorf("line %d", line)
			}
		}
	})
}
