package filter

import (
	"errors"
	"regexp/syntax"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// explainError explains in plain words why a text is not a valid filter.
func explainError(s string, err error) *Error {
	bad, ok := errors.AsType[*participle.UnexpectedTokenError](err)
	if !ok {
		return errorAt(len(s), "this is not a filter")
	}
	at := bad.Unexpected
	before, after := tokensAround(s, at.Pos.Offset)
	if at.Type == symbols["Op"] && before.Type == symbols["Word"] { // the mistake is after it
		before, at = at, after
	}
	switch {
	case at.Type == symbols["Open"]:
		return errorAt(at.Pos.Offset, "the quote %s is not closed", at.Value)
	case before.Type == symbols["Op"]:
		return errorAt(at.Pos.Offset, "a value is expected after %s", before.Value)
	case at.Type == symbols["Op"]:
		return errorAt(at.Pos.Offset, "the name of a field is expected before %s", at.Value)
	case at.EOF() && (before.Type == symbols["And"] || before.Type == symbols["Or"] || before.Type == symbols["Not"] ||
		before.Value == "("):
		return errorAt(len(s), "a word or a comparison is expected after %s", before.Value)
	case at.EOF():
		return errorAt(len(s), "a ) is expected: a ( is not closed")
	case at.Value == ")" && (before.Type == lexer.EOF || isBalanced(s, at.Pos.Offset)):
		return errorAt(at.Pos.Offset, "this ) closes nothing")
	}
	return errorAt(at.Pos.Offset, "a word or a comparison is expected before %s", at.Value)
}

// tokensAround returns the tokens before and after an offset; the end counts as a token.
func tokensAround(s string, place int) (before, after lexer.Token) {
	before, after = lexer.EOFToken(lexer.Position{}), lexer.EOFToken(lexer.Position{Offset: len(s)})
	for _, t := range lexTokens(s) {
		switch {
		case t.Pos.Offset < place:
			before = t
		case t.Pos.Offset > place:
			return before, t
		}
	}
	return before, after
}

// isBalanced reports whether each ( before an offset is closed before that offset.
func isBalanced(s string, place int) bool {
	open := 0
	for _, t := range lexTokens(s) {
		switch {
		case t.Pos.Offset >= place:
			return open == 0
		case t.Type == symbols["Paren"] && t.Value == "(":
			open++
		case t.Type == symbols["Paren"]:
			open--
		}
	}
	return open == 0
}

// lexTokens returns the tokens at the beginning of a text, without blanks.
func lexTokens(s string) []lexer.Token {
	from, err := tokens.LexString("", s)
	if err != nil {
		return nil
	}
	var all []lexer.Token
	for {
		t, err := from.Next()
		if err != nil || t.EOF() {
			return all
		}
		if t.Type == symbols["Word"] {
			t, _ = markOperator(t)
		}
		if t.Type != symbols["Space"] {
			all = append(all, t)
		}
	}
}

// flaws describe the possible mistakes in a regular expression.
var flaws = map[syntax.ErrorCode]string{
	syntax.ErrMissingBracket:        "a [ is not closed",
	syntax.ErrMissingParen:          "a ( is not closed",
	syntax.ErrUnexpectedParen:       "a ) closes nothing",
	syntax.ErrTrailingBackslash:     "a character is expected after \\",
	syntax.ErrMissingRepeatArgument: "a character is expected before * + or ?",
	syntax.ErrInvalidCharRange:      "a range goes from the lower character to the higher",
	syntax.ErrInvalidRepeatSize:     "a repetition is too long",
	syntax.ErrLarge:                 "it is too large",
}

func describeMistake(err error) string {
	const what = "in the regular expression "
	if bad, ok := errors.AsType[*syntax.Error](err); ok && flaws[bad.Code] != "" {
		return what + flaws[bad.Code]
	}
	return what + "something is not understood"
}
