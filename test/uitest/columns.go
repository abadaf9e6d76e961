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

// CheckSpare looks for the spare columns of a table in a shot of 200 columns: each has a value in some row.
func (a *Album[P]) CheckSpare(t *testing.T, name string, table rows.ColumnTable) {
	t.Helper()
	at := slices.IndexFunc(a.Shots, func(s Shot[P]) bool { return s.Name == name })
	c := draw.New(200, 50)
	a.Show(&a.Shots[at], 200, 50).Draw(c)
	lines := strings.Split(string(PlainTheme.Encode(nil, c)), "\n")
	for _, column := range table.Columns() {
		if column.Spare && !hasValue(lines, &column) {
			t.Errorf("the shot %s (pictures_test.go) has no room for the column %s, or no value in it: give it one in "+
				"test/uitest (a metric of a GPU in gpus.go)", name, column.Key)
		}
	}
}

// hasValue reports whether a row below the heading of a column has a value in it. What is wider than the column is a
// sentence in place of the cells.
func hasValue(lines []string, c *rows.Column) bool {
	title := regexp.MustCompile(`( |^)` + regexp.QuoteMeta(c.Title) + `( |$)`)
	head := slices.IndexFunc(lines, title.MatchString)
	if head < 0 {
		return false
	}
	begin := draw.Width(lines[head][:title.FindStringIndex(lines[head])[0]]) + 1
	end := begin + draw.Width(c.Title)
	for _, line := range lines[head+1:] {
		row := []rune(line + strings.Repeat(" ", 200))
		if strings.TrimSpace(string(row[:end])) == "" {
			break
		}
		cell, _, _ := strings.Cut(string(row[begin:]), "  ")
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
