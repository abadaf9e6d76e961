package filter

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// MostText limits a filter, in characters, as in all-smi.
const MostText = 512

// Error is the mistake in a text.
type Error struct {
	At   int // the byte of the mistake; the length of the text: at the end
	Text string
}

func (e *Error) Error() string { return e.Text }

func errorAt(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

// Parse reads a filter for rows with these fields. An empty text gives nil, which matches all rows.
func Parse(s string, fields Fields) (*Expr, *Error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	if utf8.RuneCountInString(s) > MostText {
		return nil, errorAt(len(s), "a filter has at most %d characters", MostText)
	}
	tree, err := grammar.ParseString("", s)
	if err != nil {
		return nil, explainError(s, err)
	}
	root, bad := tree.compileChoice(&scope{Fields: fields, room: mostPattern})
	if bad != nil {
		return nil, bad
	}
	return &Expr{root, s}, nil
}

// mostPattern limits the instructions of all regular expressions of a filter together: each row may run all of them for
// each of its characters. An expression for names of nodes has about 50.
const mostPattern = 2000

// scope is the context in which a filter is read.
type scope struct {
	Fields
	room int // instructions left for regular expressions
}

// compilePattern returns the regular expression at this place of the filter.
func (in *scope) compilePattern(s string, at int) (*regexp.Regexp, *Error) {
	s = "(?i)" + s
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, errorAt(at, "%s", describeMistake(err))
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, errorAt(at, "%s", describeMistake(err))
	}
	switch size := len(program.Inst); {
	case size > mostPattern:
		return nil, errorAt(at, "this pattern is too large")
	case size > in.room:
		return nil, errorAt(at, "this pattern is too large together with those before it")
	default:
		in.room -= size
	}
	pattern, err := regexp.Compile(s)
	if err != nil {
		return nil, errorAt(at, "%s", describeMistake(err))
	}
	return pattern, nil
}

func (c *choice) compileChoice(in *scope) (node, *Error) {
	var n anyOf
	for _, t := range c.Of {
		all, bad := t.compileTerms(in)
		if bad != nil {
			return nil, bad
		}
		n = append(n, all)
	}
	if len(n) == 1 {
		return n[0], nil
	}
	return n, nil
}

func (t *terms) compileTerms(in *scope) (node, *Error) {
	var n allOf
	for _, one := range t.Of {
		part, bad := one.compileTerm(in)
		if bad != nil {
			return nil, bad
		}
		n = append(n, part)
	}
	if len(n) == 1 {
		return n[0], nil
	}
	return n, nil
}

func (t *term) compileTerm(in *scope) (n node, bad *Error) {
	switch {
	case t.Group != nil:
		n, bad = t.Group.compileChoice(in)
	case t.Words != nil:
		n = word(strings.ToLower(stripQuotes(t.Words.Text)))
	default:
		n, bad = t.Test.compileTest(in)
	}
	if bad == nil && len(t.Not)%2 == 1 {
		n = no{n}
	}
	return n, bad
}

func stripQuotes(s string) string { return s[1 : len(s)-1] }

// oneOp maps the second name of an operator to the first.
var oneOp = strings.NewReplacer("==", "=", "~=", "~")

func (t *test) compileTest(in *scope) (node, *Error) {
	if t.Value == nil {
		if name, value, colon := strings.Cut(t.Word, ":"); colon && value != "" && in.findField(name) != nil {
			return nil, errorAt(t.Pos.Offset+len(name), ": is not an operator: %s=%s (or quote text that contains :)", name,
				value)
		}
		return word(strings.ToLower(t.Word)), nil
	}
	f := in.findField(t.Word)
	if f == nil {
		return nil, unknownField(t, in.Fields)
	}
	c := &comparison{at: f.at, op: oneOp.Replace(t.Op.Text)}
	if f.Unit == field.Text {
		return c, c.compareText(t, in)
	}
	return c, c.compareNumbers(t, f)
}

// unknownField returns the error of a name that is no field of these rows.
func unknownField(t *test, fields Fields) *Error {
	if near := text.Similar(t.Word, fields.everyName()); near != "" {
		return errorAt(t.Pos.Offset, "no field %q here: the nearest is %s", t.Word, near)
	}
	return errorAt(t.Pos.Offset, "no field %q here: completion lists them (or quote text that contains %s)", t.Word,
		t.Op.Text)
}

func (c *comparison) compareText(t *test, in *scope) *Error {
	s, at := t.Value.Plain, t.Value.Pos.Offset
	if t.Value.Quoted != "" {
		s, at = stripQuotes(t.Value.Quoted), at+1
	}
	switch {
	case c.op == "~":
		pattern, bad := in.compilePattern(s, at)
		if bad != nil {
			return bad
		}
		c.pattern = pattern
	case c.op != "=" && c.op != "!=":
		return errorAt(t.Op.Pos.Offset, "%s is text: compare it with = or != or ~", t.Word)
	case t.Value.Quoted != "":
		c.texts = []string{s}
	default:
		c.texts = strings.Split(s, ",")
	}
	return nil
}

// numberRange matches a range of numbers, which is no value.
var numberRange = regexp.MustCompile(`^([0-9]+)(?:-|\.\.)([0-9]+)$`)

// wrongNumber is the error of a value that is no number of a field.
func wrongNumber(at int, t *test, f *Field, value string) *Error {
	rest := strings.TrimLeft(value, "<>=~!")
	if rest != value {
		return errorAt(t.Op.Pos.Offset, "%s%s is not an operator: %s%s%s", t.Op.Text, value[:len(value)-len(rest)], t.Word,
			t.Op.Text, rest)
	}
	form := forms[f.Unit]
	if f.Unit == field.Count && f.Example != "" {
		form += ", such as " + f.Example
	}
	if m := numberRange.FindStringSubmatch(value); m != nil {
		return errorAt(at, "%s is %s: a range is %s>=%s %s<=%s", t.Word, form, t.Word, m[1], t.Word, m[2])
	}
	return errorAt(at, "%s is %s, not %q", t.Word, form, value)
}

func (c *comparison) compareNumbers(t *test, f *Field) *Error {
	if c.op == "~" {
		return errorAt(t.Op.Pos.Offset, "%s is a number: compare it with < > <= >= = or !=", t.Word)
	}
	s, at := t.Value.Plain, t.Value.Pos.Offset
	if t.Value.Quoted != "" {
		s, at = stripQuotes(t.Value.Quoted), at+1
	}
	list := strings.Split(s, ",")
	if len(list) > 1 && c.op != "=" && c.op != "!=" {
		return errorAt(at, "a list goes with = or !=, not with %s", c.op)
	}
	for _, one := range list {
		v, err := parseNumber(f.Unit, one)
		if err != nil {
			return wrongNumber(at, t, f, one)
		}
		c.numbers = append(c.numbers, v)
		at += len(one) + 1
	}
	return nil
}
