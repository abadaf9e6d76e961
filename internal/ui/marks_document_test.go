package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/palette"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// docs/MARKS.md has the marks and colors that the list of ? explains.
func TestPageOfMarks(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| mark | it means |\n|---|---|\n")
	for _, item := range palette.Marks() {
		if item.Group == "marks" || item.Group == "colors" {
			b.WriteString("| " + item.Text + " | " + item.Note + " |\n")
		}
	}
	golden.After(t, "../../docs/MARKS.md", "-update. -->\n", b.String())
}
