package cause

import (
	"regexp"
	"strings"
)

const (
	// most is the maximum number of processes for which a Marker remembers their place in a traceback.
	most = 256
	// ownLabels is the maximum number of traceback prefixes that it remembers.
	ownLabels = 8
	// patience is after how many lines a traceback that does not go on is forgotten.
	patience = 400
)

// Marker marks the lines of a log, one after the other. Its zero value is ready.
type Marker struct {
	own    []*regexp.Regexp  // prefixes of lines that are in no table
	traces map[string]*trace // tracebacks that have not reached their exception, by process
	quiet  int               // lines since one of them last went on
}

// trace is a traceback whose exception has not come yet.
type trace struct {
	place   string // of the last call in the program itself: "train.py:20"; "": none yet
	boxed   bool   // it is drawn as a box
	body    bool   // the previous line was part of it
	ignored bool   // Python goes on after this one
}

// markedLine is a line with a mark: what a Marker has found in it.
type markedLine struct {
	bareLine
	mark  Mark
	place string // of the exception in the program; "": not known
	body  bool   // the line is part of a traceback
}

func (m *Marker) Next(line string) Mark { return m.markLine(line).mark }

// Peek returns the mark of the next line so far: more of the line may come.
func (m *Marker) Peek(line string) Mark {
	own := *m
	own.traces = map[string]*trace{}
	for key, t := range m.traces {
		c := *t
		own.traces[key] = &c
	}
	return own.markLine(line).mark
}

// markLine examines the next line. While no traceback is open, it skips lines without any word that a mark has.
func (m *Marker) markLine(line string) markedLine {
	lower := strings.ToLower(line)
	hinted := isHinted(lower)
	if !hinted && len(m.traces) == 0 {
		return markedLine{bareLine: bareLine{words: line}}
	}
	f := markedLine{bareLine: stripLabels(line, m.own)}
	if before, _, is := strings.Cut(f.words, header); is {
		m.begin(&f, before, lower)
		return f
	}
	t := m.traces[f.key]
	if t == nil && call.MatchString(f.words) {
		t = m.openTrace(f.key, &trace{body: true})
	}
	switch {
	case t != nil && t.takesLine(f.words):
		m.quiet, f.body = 0, true
		return f
	case !hinted && t == nil:
	default:
		f.mark = markOf(&f.bareLine, lower)
	}
	m.end(&f, t)
	return f
}

// header begins a traceback.
const header = "Traceback (most recent call last)"

// begin notes the beginning of a traceback.
func (m *Marker) begin(f *markedLine, before, lower string) {
	boxed := strings.HasPrefix(before, "╭")
	if label := strings.TrimLeft(before, " \"'"); label != "" && !boxed && before != "Original " {
		if len(m.own) == ownLabels {
			m.own = m.own[1:]
		}
		own := m.own[:len(m.own):len(m.own)]
		m.own = append(own, prefixOf(before))
		f.key += before
	}
	ignored := m.traces[f.key] != nil && m.traces[f.key].ignored
	m.openTrace(f.key, &trace{boxed: boxed, body: true, ignored: ignored})
	if f.mark = markOf(&f.bareLine, lower); f.mark == 0 || ignored {
		f.mark = 0
		f.body = true
	}
}

// openTrace notes a traceback whose exception is still to come.
func (m *Marker) openTrace(key string, t *trace) *trace {
	if m.traces == nil || len(m.traces) == most {
		m.traces = map[string]*trace{}
	}
	m.traces[key], m.quiet = t, 0
	return t
}

// Lines of a traceback: a call with its place, and other lines.
var (
	call    = regexp.MustCompile(`^ *(?:\+ ?)?(?:\| )*File "([^"]+)", line (\d+)`)
	boxCall = regexp.MustCompile(`^(/\S+):(\d+) in `)
)

// library matches paths of files that are not the program's own.
var library = regexp.MustCompile(`^<|/(?:site|dist)-packages/|/lib/python[\d.]*/|/torchrun$|\.pyx$|/bin/[^/]*$`)

// takesLine reports whether a line is part of the traceback, and notes its place.
func (t *trace) takesLine(words string) bool {
	m := call.FindStringSubmatch(words)
	if m == nil && t.boxed {
		m = boxCall.FindStringSubmatch(words)
	}
	if m != nil && !library.MatchString(m[1]) {
		t.place = m[1][strings.LastIndexByte(m[1], '/')+1:] + ":" + m[2]
	}
	part := m != nil || strings.HasPrefix(words, " ") || strings.Trim(words, "^~ │╭╰─╯╮") == "" ||
		t.boxed && boxLine.MatchString(words)
	t.body = t.body || m != nil
	return part && t.body
}

// boxLine is a line within a box.
var boxLine = regexp.MustCompile(`^(?:❱? *\d+ │|❱ *\d+|\d+ |\.\.\. \d+ frames)`)

// name is an exception at the end of a traceback, whatever it is called.
var name = regexp.MustCompile(`^[A-Za-z_][\w.]*(?:\([\w.]+\))?(?:: .*|:?)$`)

// end notes the exception of a traceback.
func (m *Marker) end(f *markedLine, t *trace) {
	if strings.HasPrefix(f.words, "Exception ignored in") {
		m.openTrace(f.key, &trace{ignored: true})
		f.mark = 0
		return
	}
	if m.quiet++; m.quiet > patience {
		m.traces = nil
	}
	if t == nil {
		return
	}
	ends := t.body && name.MatchString(f.text)
	if ends && f.mark == 0 {
		f.mark = bare
	}
	if f.mark == 0 || f.mark == logged && !ends {
		t.body = false
		return
	}
	if f.place = t.place; t.ignored {
		f.mark = 0
	}
	delete(m.traces, f.key)
}
