package forms

import (
	"regexp"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// form is a row of the table of forms: how a program writes its progress. Everything is in lower case.
type form struct {
	name  string
	needs []string // a line of this form has all of them
	is    *regexp.Regexp
	keys  map[string]Quantity // what keys mean here, besides what they mean everywhere
	bare  bool                // only the groups of the expression count, no pairs

	scope   progress.Scope
	eta     progress.Scope
	isBar   bool
	isBase0 bool
	isPart  bool // the line says no step: it adds to what others say
	isInner bool // a loop within each step of a job: it counts only if no other line says the step
}

func re(s string) *regexp.Regexp { return regexp.MustCompile(s) }

func has(words ...string) []string { return words }

// groups is what the named groups of expressions are.
var groups = map[string]func(s *Said, text string){
	"step": numberOf(Step, 1), "of": numberOf(Total, 1), "total": numberOf(Total, 1), "epoch": numberOf(Epoch, 1),
	"epochs": numberOf(Epochs, 1), "sec": numberOf(Seconds, 1), "ms": numberOf(Seconds, 1e-3), "loss": numberOf(Loss, 1),
	"elapsed": numberOf(Elapsed, 1), "hours": numberOf(Left, 3600),
	"left": func(s *Said, text string) {
		if span, is := parseSpan(strings.Join(strings.Fields(text), " ")); is {
			s.Set(Left, span.Seconds())
		}
	},
	"its": func(s *Said, text string) { noteBarSpeed(s, text, "it/s") },
	"samples": func(s *Said, text string) {
		if v, is := parseNumber(text); is {
			s.setSpeed(v, "samples/s")
		}
	},
	"lastepoch": func(s *Said, text string) {
		if v, is := parseNumber(text); is {
			s.Set(Epochs, v)
			s.IsLast = true
		}
	},
}

// numberOf returns a function that notes a number, in units of scale.
func numberOf(q Quantity, scale float64) func(*Said, string) {
	return func(s *Said, text string) {
		if v, is := parseNumber(text); is {
			s.Set(q, v*scale)
		}
	}
}

// hasNeeds reports whether a line has all that the form needs.
func (f *form) hasNeeds(line string) bool {
	for _, n := range f.needs {
		if !strings.Contains(line, n) {
			return false
		}
	}
	return true
}

// readLine reads a line of this form, and reports whether it is one.
func (f *form) readLine(p *pairs, line string, s *Said) bool {
	if !f.hasNeeds(line) {
		return false
	}
	var found []int
	if f.is != nil {
		if found = f.is.FindStringSubmatchIndex(line); found == nil {
			return false
		}
	}
	if !f.bare {
		p.readPairs(line, f.keys, s)
	}
	for i, name := range f.names() {
		if name != "" && found[2*i] >= 0 {
			groups[name](s, line[found[2*i]:found[2*i+1]])
		}
	}
	s.Form, s.Scope, s.ETAScope, s.IsBar, s.IsBase0 = f.name, f.scope, f.eta, f.isBar, f.isBase0
	s.IsPart, s.IsInner = f.isPart, f.isInner
	if f.isBar && s.Knows(Total) && s.Num[Step] >= s.Num[Total] && f.name == "Keras" {
		s.Drop(Left) // what stands there is how long the epoch took
	}
	return true
}

func (f *form) names() []string {
	if f.is == nil {
		return nil
	}
	return f.is.SubexpNames()
}
