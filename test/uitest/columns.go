package uitest

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// WithColumns is the look of tables with these columns.
func WithColumns(chosen rows.ChosenColumns) part.Look { return part.Look{Columns: chosen} }

// WithSpare adds, to the lists of columns that have been chosen, those that are shown only if they are chosen: each is
// in a frame.
func WithSpare(chosen rows.ChosenColumns) part.Look {
	for _, table := range rows.ColumnTables {
		list := chosen.At(table)
		if *list == "" {
			continue
		}
		names := list.Names()
		for _, c := range table.Columns() {
			if c.Spare && !slices.Contains(names, c.Key) {
				names = append(names, c.Key)
			}
		}
		*list = rows.ColumnsOf(names)
	}
	return WithColumns(chosen)
}

// FullFixture is RanksFixture with every number of its processes, and with GPUs whose memory fills up.
func FullFixture() *cluster.Snapshot {
	s := RanksFixture()
	for _, n := range s.Nodes {
		for i := range n.Processes {
			fillNumbers(&n.Processes[i])
		}
		for i := range n.GPUs {
			for m := range 40 {
				n.GPUs[i].Memory = n.GPUs[i].Memory.Add(Ago(time.Duration(40-m)*time.Minute), float64(55<<10+512*m)*mib)
			}
		}
	}
	return s
}

// fillNumbers gives a process the numbers that it lacks, and CPUs.
func fillNumbers(p *wire.Process) {
	p.CPUAffinity = "0-15"
	for _, number := range reflect.ValueOf(p).Elem().Fields() {
		if number.Kind() == reflect.Pointer && number.IsNil() {
			number.Set(reflect.New(number.Type().Elem()))
			number.Elem().Set(reflect.ValueOf(23).Convert(number.Type().Elem()))
		}
	}
}

// CheckSpare looks for the spare columns of a table in the golden frame of 200 columns of a shot: each has a value in
// some row.
func (a *Album[P]) CheckSpare(t *testing.T, name string, table rows.ColumnTable) {
	t.Helper()
	at := slices.IndexFunc(a.Shots, func(s Shot[P]) bool { return s.Name == name && !s.Odd })
	if at < 0 {
		t.Errorf("no shot %q has golden frames: add one to pictures_test.go that chooses columns of the table %s with "+
			"uitest.WithSpare, or say here what it is called", name, table)
		return
	}
	shot := &a.Shots[at]
	c := draw.New(200, 50)
	a.Show(shot, 200, 50).Draw(c)
	chosen, columns := shot.Look.Columns.At(table).Names(), table.Columns()
	lines := findTable(strings.Split(string(PlainTheme.Encode(nil, c)), "\n"), columns)
	for i := range columns {
		switch column := &columns[i]; {
		case !column.Spare:
		case !slices.Contains(chosen, column.Key):
			t.Errorf("the shot %s does not choose the column %s: its Look (pictures_test.go) must be those of "+
				"uitest.WithSpare, which adds the spare columns of %s to a list that is not empty", name, column.Key,
				table)
		case column.Title == "":
			t.Errorf("the column %s of %s has no Title, and its field has none: give its row one "+
				"(internal/rows/tables.go)", column.Key, table)
		case titleOf(column).FindStringIndex(lines[0]) == nil:
			t.Errorf("the shot %s has no room for the column %s: choose fewer of the usual columns in its Look "+
				"(pictures_test.go)", name, column.Key)
		case !hasValue(lines, column):
			t.Errorf("the column %s has no value in the shot %s, or one that is wider than the column: give it one in "+
				"test/uitest, in the Snap of that shot (a metric of a GPU in gpus.go, a number of a process in "+
				"fillNumbers)", column.Key, name)
		}
	}
}

// findTable returns the part of a page from the heading of a table on, which has most titles. What is right of a line
// is no part of it: there, the details of a row may be a table of the same columns.
func findTable(lines []string, columns []rows.Column) []string {
	head, most := 0, 0
	for i := range lines {
		lines[i], _, _ = strings.Cut(lines[i], "│")
		titles := 0
		for k := range columns {
			if titleOf(&columns[k]).MatchString(lines[i]) {
				titles++
			}
		}
		if titles > most {
			head, most = i, titles
		}
	}
	return lines[head:]
}

// titleOf finds the title of a column in a heading.
func titleOf(c *rows.Column) *regexp.Regexp {
	return regexp.MustCompile(`( |^)` + regexp.QuoteMeta(c.Title) + `( |$)`)
}

// hasValue reports whether a row below the heading, which is the first line, has a value in a column. What is wider
// than the column, or begins before it, is a sentence in place of the cells.
func hasValue(lines []string, c *rows.Column) bool {
	begin := draw.Width(lines[0][:titleOf(c).FindStringIndex(lines[0])[0]]) + 1
	end := begin + draw.Width(c.Title)
	for _, line := range lines[1:] {
		row := []rune(line + strings.Repeat(" ", 200))
		if strings.TrimSpace(string(row[:end])) == "" {
			break
		}
		cell, _, _ := strings.Cut(string(row[begin:]), "  ")
		if gap := row[max(begin-rows.ColumnGap, 0):begin]; !c.Right && strings.TrimSpace(string(gap)) != "" {
			continue
		}
		if c.Right {
			ahead := strings.Split(string(row[:end]), "  ")
			cell = ahead[len(ahead)-1]
		}
		if cell = strings.Trim(cell, " -–…"); cell != "" && cell != "n/a" && draw.Width(cell) <= c.Least+1 {
			return true
		}
	}
	return false
}
