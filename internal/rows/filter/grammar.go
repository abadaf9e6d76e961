package filter

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar. All terms that stand side by side must match.
type (
	choice struct {
		Of []*terms `parser:"@@ ( Or @@ )*"`
	}
	terms struct {
		Of []*term `parser:"@@ ( And? @@ )*"`
	}
	term struct {
		Not   []string `parser:"@Not*"`
		Group *choice  `parser:"( '(' @@ ')'"`
		Words *phrase  `parser:"| @@"`
		Test  *test    `parser:"| @@ )"`
	}
	phrase struct {
		Text string `parser:"@Quoted"`
	}
	test struct { // a word, or a field with its comparison
		Pos   lexer.Position
		Word  string `parser:"@Word"`
		Op    *op    `parser:"( @@"`
		Value *value `parser:"@@ )?"`
	}
	op struct {
		Pos  lexer.Position
		Text string `parser:"@Op"`
	}
	value struct {
		Pos    lexer.Position
		Quoted string `parser:"@Quoted"`
		Plain  string `parser:"| @Value"`
	}
)

// tokens are the rules for tokens. An operator is followed by a value, in which most characters stand for themselves,
// including balanced brackets, so that a regular expression needs no quotes.
var tokens = lexer.MustStateful(lexer.Rules{
	"Root": {
		{Name: "Space", Pattern: `\s+`},
		{Name: "Quoted", Pattern: `"[^"]*"|'[^']*'`},
		{Name: "Open", Pattern: `["']`},
		{Name: "Op", Pattern: `!=|<=|>=|==|~=|[<>=~]`, Action: lexer.Push("Behind")},
		{Name: "And", Pattern: `&&?`},
		{Name: "Or", Pattern: `\|\|?`},
		{Name: "Not", Pattern: `!`},
		{Name: "Paren", Pattern: `[()]`},
		{Name: "Word", Pattern: `[^\s()&|<>=~!"']+`},
	},
	"Behind": {
		{Name: "Space", Pattern: `\s+`},
		{Name: "Quoted", Pattern: `"[^"]*"|'[^']*'`, Action: lexer.Pop()},
		{Name: "Open", Pattern: `["']`, Action: lexer.Pop()},
		{
			Name: "Value", Action: lexer.Pop(),
			Pattern: `(?:\\\S|\[\]?[^\]\s]*\]|\((?:[^()\s]|\([^()\s]*\))*\)|[^\s()&|"'])+`,
		},
		{Name: "Paren", Pattern: `[()]`, Action: lexer.Pop()},
		{Name: "And", Pattern: `&&?`, Action: lexer.Pop()},
		{Name: "Or", Pattern: `\|\|?`, Action: lexer.Pop()},
	},
})

var symbols = tokens.Symbols()

// spoken has the operators that are words.
var spoken = map[string]lexer.TokenType{"and": symbols["And"], "or": symbols["Or"], "not": symbols["Not"]}

func markOperator(t lexer.Token) (lexer.Token, error) {
	if kind, ok := spoken[strings.ToLower(t.Value)]; ok {
		t.Type = kind
	}
	return t, nil
}

var grammar = participle.MustBuild[choice](participle.Lexer(tokens), participle.Map(markOperator, "Word"),
	participle.Elide("Space"))
