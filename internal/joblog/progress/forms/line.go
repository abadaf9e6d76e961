package forms

import (
	"bytes"
	"regexp"
	"strings"
)

// Reader reads lines, one by one. The zero Reader is ready.
type Reader struct {
	pairs  pairs
	tables tables
	lower  []byte
}

// Clone returns a copy, for a line that is not the next one.
func (l *Reader) Clone() *Reader { return &Reader{tables: l.tables} }

// hints are words: a line of progress has at least one of them. Most other lines are rejected at once.
var hints = [][]byte{[]byte("step"), []byte("iter"), []byte("epoch"), []byte("loss"), []byte("time"), []byte("batch"),
	[]byte("update"), []byte("checkpoint"), []byte("restart"), []byte("|"), []byte("%"), []byte("/s"), []byte("s/"),
	[]byte("it ["), []byte("]\t"), []byte("learn: "), []byte("frame="), []byte("energy:"), []byte(" e0= "), []byte(" ot "),
	[]byte(" up. "), []byte("courant"), []byte("deltat")}

// prefix is what launchers put before a line. It has numbers that are no progress.
var prefix = regexp.MustCompile(`^(?:\[[a-z_-]*\d+\]: ?|\([^()]*pid=[^()]*\) ?|` +
	`\d{4}-\d\d-\d\dt[\d:.]+z (?:stdout|stderr) [fp] ?|\d{1,5}: )+`)

// Read reads a line, and reports whether it says something. isBelow: the cursor went up after it.
func (l *Reader) Read(text []byte, isBelow bool) (s Said, is bool) {
	l.lower = appendLower(l.lower[:0], text)
	if l.tables.head == nil && !hasHint(l.lower) && !bytes.HasPrefix(l.lower, []byte("run")) {
		return s, false
	}
	line := strings.TrimRight(string(l.lower), " ")
	if at := prefix.FindStringIndex(line); at != nil && at[1] < len(line) {
		line = line[at[1]:]
	}
	s.IsBelow = isBelow
	is = l.readLine(line, &s)
	if !is {
		s = Said{Form: "checkpoint", IsPart: true}
	}
	readEvent(line, &s)
	is = is || s.IsCheckpoint || s.Knows(Resumed)
	if is && !s.Knows(Elapsed) {
		l.noteTime(line, &s)
	}
	return s, is
}

// appendLower appends text in lower case; only ASCII has two.
func appendLower(to, text []byte) []byte {
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

func hasHint(line []byte) bool {
	for _, h := range hints {
		if bytes.Contains(line, h) {
			return true
		}
	}
	return false
}

// readLine reads a line by the first form that it has.
func (l *Reader) readLine(line string, s *Said) bool {
	if isBar(line) {
		bar := Said{IsBelow: s.IsBelow}
		if readTqdm(&l.pairs, line, &bar) {
			*s = bar
			s.Form = "tqdm"
			return true
		}
		if bar.IsBar {
			return false
		}
	}
	for _, f := range forms {
		if f.readLine(&l.pairs, line, s) {
			return true
		}
	}
	return l.tables.readLine(line, s) || l.readGeneral(line, s)
}

// readGeneral reads a line of no particular form.
func (l *Reader) readGeneral(line string, s *Said) bool {
	if strings.Contains(line, " --") || isFault(line) {
		return false
	}
	l.pairs.readPairs(line, nil, s)
	if s.has == 0 {
		return false
	}
	if l.pairs.isHeadedByEvaluation() {
		*s = Said{Form: "general", IsEvaluation: true}
		return true
	}
	if l.pairs.isProgress(s) {
		s.Form = "general"
		return true
	}
	return keepHead(s)
}

// keepHead keeps what a line says about the whole run, such as "total steps 10000".
func keepHead(s *Said) bool {
	head := Said{Form: "head", IsPart: true, IsHead: true}
	for _, q := range []Quantity{Total, Epochs} {
		if s.Knows(q) && !s.Knows(q-1) {
			head.Set(q, s.Num[q])
		}
	}
	*s = head
	return head.has != 0
}

// isFault reports whether a line is about an error, which may quote progress.
func isFault(line string) bool {
	at := strings.Index(line, "error:")
	if at < 0 {
		at = strings.Index(line, "exception:")
	}
	return at >= 0 || strings.HasPrefix(line, "e   ")
}

// isHeadedByEvaluation reports whether the words before the first number are about an evaluation.
func (p *pairs) isHeadedByEvaluation() bool {
	for i := range p.tokens {
		switch t := &p.tokens[i]; t.kind {
		case value, part:
			return false
		case word:
			for _, a := range atomsOf([]string{t.text}, p.atoms) {
				if isEvaluationWord(a) {
					return true
				}
			}
		}
	}
	return false
}

// noteTime notes the time that a line says. Times of one kind can be compared.
func (l *Reader) noteTime(line string, s *Said) {
	if v, kind, is := lineTime(line); is {
		s.Set(Elapsed, v)
		s.Clock = kind
	}
}
