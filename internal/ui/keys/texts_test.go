package keys

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// keyInText matches texts that name a key: one with a name of its own, a letter with what it does, or the digit of a
// page.
var keyInText = regexp.MustCompile(`\b(Esc|Enter|Tab|PgUp|PgDn|Backspace|F[0-9]+|(Ctrl|Alt|Shift)-[^C\s]+)\b` +
	`|\b[Pp]ress [^a]` + `|  [0-9] [a-z]| \([0-9]\)` +
	`|(^|[;:,.(] ?)[b-zB-Z0-9!?/:↑↓←→] (shows?|hides?|opens?|writes?|saves?|tests?|records?|clears?|copies|closes|` +
	`leads?|searches|chooses|switches|turns|goes|reads|sorts?|filters?|kills?|quits?|refreshe?s?|asks?)\b`)

// Texts take the names of keys from the table: one that is written into a sentence stays there when the key changes.
func TestTextsTakeKeysFromTheTable(t *testing.T) {
	for _, text := range []string{"w writes to your file", "on the page processes (5)", ": press 7", "Esc: live",
		"more  PgDn", "hidden, x shows it", "this run only; w writes it", "  1 all jobs", "Ctrl-K records"} {
		if !keyInText.MatchString(text) {
			t.Errorf("%q counts as a text without a key", text)
		}
	}
	for _, room := range []string{"ui", "health", "hang", "slurm", "source", "cluster", "joblog", "remote", "rows"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
				!slices.Contains([]string{"keys", "uitest"}, filepath.Base(filepath.Dir(path))) {
				checkTexts(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkTexts(t *testing.T, path string) {
	t.Helper()
	places := token.NewFileSet()
	file, err := parser.ParseFile(places, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, is := n.(*ast.ImportSpec); is {
			return false
		}
		l, is := n.(*ast.BasicLit)
		if !is || l.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(l.Value); err == nil && keyInText.MatchString(text) {
			t.Errorf("%s names a key in a text: %s; keys.Name takes it from the table", places.Position(l.Pos()), l.Value)
		}
		return true
	})
}
