package forms

import "strings"

// token is a part of a line.
type token struct {
	kind tokenKind
	text string  // in lower case; of a number: its unit, if that is written without a space
	from int     // offset in the line
	to   int     // offset of its end
	num  float64 // of a number, or N of N/M
	of   float64 // M of N/M
}

// tokenKind is what a token is.
type tokenKind uint8

const (
	word  tokenKind = iota
	value           // a number
	part            // N/M, or N of M
	clock           // a time of the day, or a time that is left
	mark            // punctuation
	junk            // digits that are no number: a date, an address, a version
)

// maxTokens is the number of tokens of a line that are looked at.
const maxTokens = 192

// tokensOf cuts a line, which is in lower case, into tokens.
func tokensOf(line string, room []token) []token {
	all := room[:0]
	for at := 0; at < len(line) && len(all) < maxTokens; {
		switch c := line[at]; {
		case c == ' ' || c == '\t':
			at++
		case isLetter(c):
			all = append(all, wordAt(line, at))
			at = all[len(all)-1].to
		case isDigit(c), isSign(c) && at+1 < len(line) && isDigit(line[at+1]) && startsNumber(line, at):
			all = append(all, numberAt(line, at))
			at = all[len(all)-1].to
		default:
			all = append(all, token{kind: mark, text: line[at : at+1], from: at, to: at + 1})
			at++
		}
	}
	return all
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSign(c byte) bool   { return c == '-' || c == '+' || c == '.' }

// startsNumber reports whether a sign is one of a number: it is not between two words or digits.
func startsNumber(line string, at int) bool {
	return at == 0 || !isLetter(line[at-1]) && !isDigit(line[at-1])
}

// wordAt returns the word at an offset: letters, with digits and marks within it, such as "train/loss",
// "checkpoint-500" or "s/it". nan and inf are numbers.
func wordAt(line string, from int) token {
	to := from
	for to < len(line) {
		c := line[to]
		inner := strings.IndexByte("/.-@", c) >= 0 && to+1 < len(line) && (isLetter(line[to+1]) || isDigit(line[to+1]))
		if !isLetter(c) && !isDigit(c) && !inner {
			break
		}
		to++
	}
	t := token{kind: word, text: line[from:to], from: from, to: to}
	if (t.text == "nan" || t.text == "inf") && !strings.HasSuffix(line[:from], "of ") { // "number of nan iterations"
		t.num, _ = parseNumber(t.text)
		t.kind, t.text = value, ""
	}
	return t
}

// numberAt returns the number, fraction or time at an offset. Digits that go on as something else are junk.
func numberAt(line string, from int) token {
	to := numberEnd(line, from)
	t := token{from: from, to: to}
	v, is := parseNumber(strings.TrimSuffix(line[from:to], ","))
	if line[to-1] == ',' {
		t.to--
	}
	if !is {
		return junkAt(line, from)
	}
	t.kind, t.num = value, v
	if to = t.to; to == len(line) {
		return t
	}
	switch c := line[to]; {
	case c == ':' && to+2 < len(line) && isDigit(line[to+1]) && isDigit(line[to+2]):
		return clockAt(line, from)
	case c == '/':
		return partAt(line, t)
	case isLetter(c):
		return withUnit(line, t)
	case c == '-' && to+1 < len(line) && isDigit(line[to+1]), c == '.' && to+1 < len(line) && isDigit(line[to+1]):
		return junkAt(line, from)
	}
	return withPart(line, t)
}

// numberEnd returns the end of a number: digits, commas between thousands, a fraction, an exponent.
func numberEnd(line string, from int) int {
	to := from
	if line[to] == '-' || line[to] == '+' {
		to++
	}
	for to < len(line) && (isDigit(line[to]) || line[to] == ',' && isGroup(line, to+1)) {
		to++
	}
	if to+1 < len(line) && line[to] == '.' && isDigit(line[to+1]) {
		for to++; to < len(line) && isDigit(line[to]); to++ {
		}
	}
	if to+1 < len(line) && line[to] == 'e' {
		end := to + 1
		if line[end] == '-' || line[end] == '+' {
			end++
		}
		if end < len(line) && isDigit(line[end]) {
			for to = end; to < len(line) && isDigit(line[to]); to++ {
			}
		}
	}
	return to
}

// isGroup reports whether three digits, and no more, follow.
func isGroup(line string, at int) bool {
	if at+3 > len(line) || !isDigit(line[at]) || !isDigit(line[at+1]) || !isDigit(line[at+2]) {
		return false
	}
	return at+3 == len(line) || !isDigit(line[at+3])
}

// junkAt returns everything up to the next space or bracket.
func junkAt(line string, from int) token {
	to := from + 1
	for to < len(line) && strings.IndexByte(" \t,;=()[]{}<>|'\"", line[to]) < 0 {
		to++
	}
	return token{kind: junk, text: line[from:to], from: from, to: to}
}

// clockAt returns a time such as 1:02:03.
func clockAt(line string, from int) token {
	t := junkAt(line, from)
	t.text = strings.TrimRight(t.text, ".:")
	t.to = from + len(t.text)
	if span, is := parseSpan(t.text); is {
		t.kind, t.num = clock, span.Seconds()
	}
	return t
}

// withUnit returns a number with the letters behind it: 412ms, 2.1s/it, 2h14m.
func withUnit(line string, t token) token {
	to := t.to
	for to < len(line) && (isLetter(line[to]) || isDigit(line[to]) || line[to] == '/') {
		to++
	}
	if to < len(line) && strings.IndexByte("-:.@", line[to]) >= 0 && to+1 < len(line) &&
		(isLetter(line[to+1]) || isDigit(line[to+1])) {
		return junkAt(line, t.from)
	}
	unit := line[t.to:to]
	if span, is := parseSpan(line[t.from:to]); is && strings.ContainsAny(unit, "0123456789") {
		return token{kind: clock, text: line[t.from:to], num: span.Seconds(), from: t.from, to: to}
	}
	if strings.ContainsAny(unit, "0123456789") {
		return junkAt(line, t.from)
	}
	t.text, t.to = unit, to
	return t
}

// partAt returns N/M. With a letter behind the slash N stands alone, and a second slash makes it a date.
func partAt(line string, t token) token {
	at := t.to + 1
	for at < len(line) && line[at] == ' ' {
		at++
	}
	if at == len(line) || !isDigit(line[at]) {
		return t
	}
	to := numberEnd(line, at)
	m, is := parseNumber(strings.TrimSuffix(line[at:to], ","))
	if !is || goesOn(line, to) {
		return junkAt(line, t.from)
	}
	t.kind, t.of, t.to = part, m, to
	return t
}

// goesOn reports whether what looked like N/M goes on: as a date, an address, a version.
func goesOn(line string, to int) bool {
	if to == len(line) {
		return false
	}
	c := line[to]
	return c == '/' || isLetter(c) || (c == ':' || c == '.' || c == '-') && to+1 < len(line) && isDigit(line[to+1])
}

// withPart returns N / M or N of M, if that is what follows a number.
func withPart(line string, t token) token {
	rest := strings.TrimLeft(line[t.to:], " ")
	space := len(line) - t.to - len(rest)
	switch {
	case strings.HasPrefix(rest, "/") && space > 0:
		slash := t
		slash.to += space
		if p := partAt(line, slash); p.kind == part {
			return p
		}
	case strings.HasPrefix(rest, "of ") && space > 0:
		at := t.to + space + 3
		for at < len(line) && line[at] == ' ' {
			at++
		}
		if at == len(line) || !isDigit(line[at]) {
			return t
		}
		to := numberEnd(line, at)
		if m, is := parseNumber(strings.TrimSuffix(line[at:to], ",")); is && (to == len(line) || !isLetter(line[to])) {
			t.kind, t.of, t.to = part, m, to
		}
	}
	return t
}
