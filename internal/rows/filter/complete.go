package filter

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Completion is a possible text at the place where a name or an operator is being typed.
type Completion struct {
	From    int      // the byte at which the typed word begins
	Choices []string // possible texts there, in the order of the fields
}

// Complete lists the possible texts before byte at: the names of fields that begin with the word there, the operators
// after a field's name, or an example value after an operator.
func Complete(s string, at int, fields Fields) Completion {
	s = s[:at]
	all := lexTokens(s)
	if len(all) == 0 {
		return Completion{at, fields.Names()}
	}
	if slices.ContainsFunc(all, func(t lexer.Token) bool { return t.Type == symbols["Open"] }) {
		return Completion{From: at}
	}
	t := all[len(all)-1]
	ends := t.Pos.Offset+len(t.Value) == at // otherwise blanks follow
	switch {
	case t.Type == symbols["Op"] && len(all) > 1:
		return completeOperator(t.Value, t.Pos.Offset, at, fields.findField(all[len(all)-2].Value))
	case t.Type == symbols["Word"] && ends && fields.findField(t.Value) == nil:
		return Completion{t.Pos.Offset, namesWithPrefix(fields.Names(), t.Value)}
	case t.Type == symbols["Word"] && fields.findField(t.Value) != nil:
		return Completion{at, fields.findField(t.Value).Ops()}
	case t.Type == symbols["Word"] || t.Type == symbols["Value"] && ends:
		return Completion{From: at}
	}
	return Completion{at, fields.Names()}
}

// completeOperator completes an operator, or gives an example value after a complete operator.
func completeOperator(typed string, from, at int, f *Field) Completion {
	if f == nil {
		return Completion{From: at}
	}
	if longer := namesWithPrefix(f.Ops(), typed); len(longer) > 1 && from+len(typed) == at {
		return Completion{from, append(longer, typed+f.Example)}
	}
	return Completion{at, []string{f.Example}}
}

// namesWithPrefix returns the names that begin with a text, in upper or lower case.
func namesWithPrefix(names []string, with string) []string {
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name, strings.ToLower(with)) {
			found = append(found, name)
		}
	}
	return found
}
