package uitest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// The spare columns of each table are looked for, also once a table gets its first one.
func TestEveryTableIsLookedAt(t *testing.T) {
	source := read(t, "../../internal/rows/columns.go")
	tables := regexp.MustCompile(`(\w+) +ColumnTable = "(\w+)"`).FindAllStringSubmatch(source, -1)
	if len(tables) != len(rows.ColumnTables) {
		t.Fatalf("internal/rows/columns.go has %d constants of type ColumnTable, and %d ColumnTables", len(tables),
			len(rows.ColumnTables))
	}
	paths, err := filepath.Glob("../../internal/ui/*/pictures_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, path := range paths {
		tests.WriteString(read(t, path))
	}
	for _, table := range tables {
		call := regexp.MustCompile(`\.CheckSpare\(t, "[^"]+", rows\.` + table[1] + `\)`)
		if !call.MatchString(tests.String()) {
			t.Errorf("no test looks for the spare columns of the table %s: add CheckSpare(t, shot, rows.%s) to "+
				"TestSpareColumns in pictures_test.go of its page, and a shot that chooses them with WithSpare",
				table[2], table[1])
		}
	}
}

// Each field of the look has a shot with golden frames that show it (checkLook).
func TestEveryLookHasAShot(t *testing.T) {
	paths, err := filepath.Glob("../../internal/ui/*/pictures_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, path := range paths {
		tests.WriteString(read(t, path))
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[part.Look]()) {
		sets := regexp.MustCompile(`part\.(Look|Colors)\{[^\n]*\n?[^\n]*\b` + field.Name + `:|` +
			`uitest\.With` + field.Name)
		if !field.Anonymous && !sets.MatchString(tests.String()) {
			t.Errorf("no shot sets part.Look.%s: add one to pictures_test.go of a page that shows it", field.Name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
