package text

import (
	"slices"
	"testing"
)

func sampleTable() *Table {
	return &Table{Width: func(s string) int { return len(s) },
		Cut: func(s string, most int) string { return s[:min(len(s), most)] },
		Columns: []Column{{Head: "Job"}, {Head: "Name", Spare: 2, Shrinks: 5}, {Head: "CPUs", Right: true, Spare: 1},
			{Head: "Hours", Right: true, Wide: 7}},
		Rows: [][]string{{"17", "a long name", "4", "1.50"}, {"1800", "b", "128", "20.00"}}}
}

func TestWidths(t *testing.T) {
	g := sampleTable()
	if got := g.Widths(); !slices.Equal(got, []int{4, 11, 4, 7}) || g.Total() != 34 {
		t.Errorf("%v, %d", got, g.Total())
	}
	if before, after := g.Blank(2, "4", 4); before != "   " || after != "" {
		t.Errorf("flush right: %q %q", before, after)
	}
	if before, after := g.Blank(0, "17", 4); before != "" || after != "  " {
		t.Errorf("flush left: %q %q", before, after)
	}
}

// A table that is too wide loses its spare columns, the first to go first; one that shrinks is cut if that is enough.
func TestFit(t *testing.T) {
	for room, want := range map[int][]string{
		34: {"Job", "Name", "CPUs", "Hours"},
		33: {"Job", "Name", "Hours"},
		25: {"Job", "Name", "Hours"},
		22: {"Job", "Name", "Hours"},
		21: {"Job", "Hours"},
		5:  {"Job", "Hours"},
	} {
		g := sampleTable()
		fitting := g.Fit(room)
		if got := fitting.Lines()[0]; !slices.Equal(got, want) || len(got) > 2 && fitting.Total() > room {
			t.Errorf("in %d: %v, %d wide", room, got, fitting.Total())
		}
		if len(g.Columns) != 4 || g.Rows[0][1] != "a long name" {
			t.Errorf("in %d: the table itself is changed: %v", room, g)
		}
	}
	if cell := sampleTable().Fit(22).Rows[0][1]; cell != "a lon" {
		t.Errorf("a name is cut to %q", cell)
	}
}

func TestBlocks(t *testing.T) {
	for room, want := range map[int][][]int{0: {{0, 1, 2, 3}}, 34: {{0, 1, 2, 3}}, 25: {{0, 1, 2}, {0, 3}},
		3: {{0, 1}, {0, 2}, {0, 3}}} {
		if got := sampleTable().Blocks(room); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("in %d: %v, want %v", room, got, want)
		}
	}
}
