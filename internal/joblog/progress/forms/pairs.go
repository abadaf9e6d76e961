package forms

import (
	"math"
	"strings"
)

// pairs reads the numbers of a line with the words before and behind them.
type pairs struct {
	line   string
	tokens []token
	words  []string // of the key at hand
	atoms  []string
	sure   [quantities]int
	keys   map[string]Quantity // what keys of this form mean
	share  float64             // a percentage of the line; negative: there is none
	parts  int                 // the number of N/M that have a meaning

	metrics int // the number of values that have a key of no known meaning
}

// readPairs adds to s what the numbers of a line mean.
func (p *pairs) readPairs(line string, keys map[string]Quantity, s *Said) {
	p.line, p.keys, p.share, p.parts, p.metrics = line, keys, -1, 0, 0
	p.tokens = tokensOf(line, p.tokens)
	clear(p.sure[:])
	for i := range p.tokens {
		switch t := &p.tokens[i]; t.kind {
		case value, part, clock:
			p.readNumber(i, t, s)
		}
	}
}

// readNumber adds to s what one number means.
func (p *pairs) readNumber(i int, t *token, s *Said) {
	if t.kind == value && p.isPercent(i) && p.share < 0 {
		p.share = t.num
	}
	if t.kind == value && p.readSpeed(i, t, s) {
		return
	}
	p.findKey(i)
	q, sure := p.keyMeaning()
	if sure == 0 && t.kind == part && i+1 < len(p.tokens) && isStepWord(p.tokens[i+1].text) {
		q, sure = Step, 5 // 5 of 20 steps
	}
	if sure == 0 {
		p.readSpeedKey(t, s)
		if isMetric := t.kind == value && t.text == "" && strings.Contains(p.line[t.from:t.to], "."); isMetric &&
			len(p.words) == 1 && strings.Contains(":=", p.tokens[i-1].text) {
			p.metrics++
		}
		return
	}
	if p.sure[q] != 0 && p.sure[q] <= sure {
		return
	}
	if p.note(i, t, q, s) {
		p.sure[q] = sure
	}
}

// keyMeaning is what the key at hand means, in this form or in general.
func (p *pairs) keyMeaning() (Quantity, int) {
	if q, is := p.formKey(); is {
		return q, 1
	}
	p.atoms = atomsOf(p.words, p.atoms)
	return meaningOf(p.atoms)
}

// formKey is what the key at hand means in this form.
func (p *pairs) formKey() (Quantity, bool) {
	if p.keys == nil {
		return 0, false
	}
	q, is := p.keys[strings.Join(p.words, " ")]
	return q, is
}

// note adds a number with a known meaning.
func (p *pairs) note(i int, t *token, q Quantity, s *Said) bool {
	switch {
	case q == Left:
		return p.noteLeft(t, s)
	case t.kind == clock:
		return false
	case q == Seconds:
		scale := p.timeUnit(i, t)
		if scale == 0 {
			return false // seconds or milliseconds
		}
		s.Set(Seconds, t.num*scale)
	case t.kind == part && (q == Step || q == Epoch):
		s.Set(q, t.num)
		s.Set(q+1, t.of)
		p.parts++
	case t.kind == part, t.text != "" && q != MFU, p.isPercent(i) && q != MFU:
		return false
	case q == MFU && !p.isPercent(i) && t.num <= 1:
		s.Set(q, t.num*100)
	default:
		s.Set(q, t.num)
	}
	return s.Knows(q)
}

// noteLeft adds the time that is left.
func (p *pairs) noteLeft(t *token, s *Said) bool {
	text := leadingSpan.FindString(p.line[t.from:])
	span, is := parseSpan(strings.TrimRight(text, " ,"))
	if is {
		s.Set(Left, span.Seconds())
	}
	return is
}

// timeUnit returns the seconds of the unit of a time: behind it, or in its key. 0: there is none.
func (p *pairs) timeUnit(i int, t *token) float64 {
	if t.text != "" {
		return times[t.text]
	}
	if i+1 < len(p.tokens) && p.tokens[i+1].kind == word {
		if u := times[p.tokens[i+1].text]; u > 0 {
			return u
		}
	}
	if _, is := p.formKey(); is {
		return 1
	}
	for _, a := range p.atoms {
		if u := times[a]; u > 0 {
			return u
		}
	}
	return 0
}

// isPercent reports whether a percent sign stands behind a number.
func (p *pairs) isPercent(i int) bool { return i+1 < len(p.tokens) && p.tokens[i+1].text == "%" }

// readSpeed reads a number with a unit of pace behind it, such as 2.1s/it or 1.2 steps/sec. A unit before a number is
// a key.
func (p *pairs) readSpeed(i int, t *token, s *Said) bool {
	scale := sizeOf(t.text)
	if scale == 0 {
		return s.setSpeed(t.num, t.text)
	}
	if i+1 == len(p.tokens) || p.tokens[i+1].kind != word || p.tokens[i+1].from > t.to+1 {
		return false
	}
	if i+2 < len(p.tokens) {
		if next := p.tokens[i+2]; next.kind == value || next.text == ":" || next.text == "=" {
			return false
		}
	}
	return s.setSpeed(t.num*scale, p.tokens[i+1].text)
}

// sizeOf returns what a letter behind a number multiplies it with; 0: it is a unit, or a part of one.
func sizeOf(text string) float64 {
	switch text {
	case "":
		return 1
	case "k":
		return 1e3
	case "m":
		return 1e6
	}
	return 0
}

// readSpeedKey reads a number with a unit of pace before it, such as "tok/s 152,410" or "samples/sec: 62.2".
func (p *pairs) readSpeedKey(t *token, s *Said) {
	n, scale := len(p.words), sizeOf(t.text)
	if t.kind != value || n == 0 || scale == 0 {
		return
	}
	unit := p.words[n-1]
	if of, is := rateKeys[unit]; is {
		unit = of
	} else if unit == "tps" && strings.Contains(p.line, "loss") {
		unit = "tokens/s" // without a loss these are steps, or transactions
	}
	s.setSpeed(t.num*scale, unit)
}

// rateKeys are the keys of rates that do not look like a unit, and their units.
var rateKeys = map[string]string{"wps": "words/s", "ups": "it/s",
	"tokens_per_second": "tokens/s", "tokens_per_sec": "tokens/s", "samples_per_second": "samples/s",
	"samples_per_sec": "samples/s", "images_per_second": "images/s", "currsamplespersec": "samples/s"}

// findKey finds the words before a number, in the order of the line: those in brackets behind a key are its unit.
func (p *pairs) findKey(i int) {
	p.words = p.words[:0]
	at := i - 1
	for at >= 0 && p.tokens[at].kind == mark && strings.Contains(`:=[('"#`, p.tokens[at].text) {
		at--
	}
	for ; at >= 0 && len(p.words) < keyWords; at-- {
		t := &p.tokens[at]
		if len(p.words) > 0 && t.to+1 < p.tokens[at+1].from {
			break // the next column
		}
		if t.kind == word {
			p.words = append(p.words, t.text)
		} else if t.kind != mark || t.text != "(" && t.text != ")" || len(p.words) == 0 && t.text == "(" {
			break
		}
	}
	for l, r := 0, len(p.words)-1; l < r; l, r = l+1, r-1 {
		p.words[l], p.words[r] = p.words[r], p.words[l]
	}
}

// manyParts is the number of steps from which on a step with any metric beside it is progress: builds have few.
const manyParts = 50

// isProgress reports whether a line of no particular form says how far a program is: a step, or an epoch, and how it
// goes.
func (p *pairs) isProgress(s *Said) bool {
	if !s.Knows(Step) {
		return s.Knows(Epoch) && s.Knows(Loss)
	}
	return s.Knows(Loss) || s.Knows(Rate) || s.Knows(Seconds) || s.Knows(Left) || s.Knows(MFU) ||
		s.Knows(Total) && p.parts > 0 && p.isPartOfWork(s)
}

// isPartOfWork reports whether what stands beside N of M steps shows that they are a program's work.
func (p *pairs) isPartOfWork(s *Said) bool {
	percent := 100 * s.Num[Step] / s.Num[Total]
	return s.Knows(Epochs) || s.Knows(LearningRate) || p.metrics > 0 && s.Num[Total] >= manyParts ||
		p.share >= 0 && math.Abs(p.share-percent) <= 1
}
