package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A file that would take minutes is refused at once.
func TestLargeFiles(t *testing.T) {
	var many strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&many, "k%d = 1\n", i)
	}
	for name, text := range map[string]string{
		"nested tables":   "[" + strings.TrimSuffix(strings.Repeat("a.", 20_000), ".") + "]\n",
		"a nested key":    strings.TrimSuffix(strings.Repeat("a.", 20_000), ".") + " = 1\n",
		"inline tables":   "a = " + strings.Repeat("{a = ", 20_000) + "1" + strings.Repeat("}", 20_000) + "\n",
		"arrays":          "a = " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "\n",
		"tables in lists": strings.Repeat("[[a]]\n[a.b]\n", 20_000),
		"keys":            many.String(),
	} {
		began := time.Now()
		_, err := Parse(text)
		if took := time.Since(began); took > 3*time.Second || (name == "keys" || name == "nested tables" ||
			name == "a nested key") && !errors.Is(err, errTooMuch) {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}
