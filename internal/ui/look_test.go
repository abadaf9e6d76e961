package ui

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Each field of the look changes a page: a setting that nothing draws does nothing.
func TestLookIsDrawn(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, field := range fieldsWithoutEffect(drawnWith) {
		t.Errorf("part.Look%s changes no page: give otherValues a value that its pages show, lookPages such a page, "+
			"or draw it", field)
	}
}

// Each field of the look changes what Print writes, if the pages that it writes have the field.
func TestLookIsPrinted(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	ofOtherPages := []string{".Columns.Ranks", ".Columns.Jobs", ".Columns.Users"}
	if fields := fieldsWithoutEffect(printedWith); !slices.Equal(fields, ofOtherPages) {
		t.Errorf("the fields %q of part.Look change nothing that Print writes, want %q: draw them there (printout.go) "+
			"or add them to ofOtherPages if only the screens show them", fields, ofOtherPages)
	}
}

// A change of the look shows at once: what a page keeps of an earlier look is not drawn.
func TestLookShowsAtOnce(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	look := part.Look{Colors: part.Colors{Classic: true}}
	eachField(reflect.ValueOf(&look).Elem(), "", func(field string, v reflect.Value) {
		before := reflect.ValueOf(v.Interface())
		for _, other := range otherValues(&look.Columns, v) {
			usual := look
			v.Set(other)
			for i, page := range drawnWith(&look) {
				if page != drawnAfter(&usual, &look)[i] {
					t.Errorf("part.Look%s: page %d of lookPages keeps what it drew with another value: the value "+
						"belongs into the key of part.Once or part.Onward", field, i)
				}
			}
			v.Set(before)
		}
	})
}

// fieldsWithoutEffect returns the names of the fields of the look whose values change nothing.
func fieldsWithoutEffect(with func(*part.Look) []string) (fields []string) {
	look := part.Look{Colors: part.Colors{Classic: true}}
	usual := with(&look)
	eachField(reflect.ValueOf(&look).Elem(), "", func(field string, v reflect.Value) {
		before := reflect.ValueOf(v.Interface())
		if !slices.ContainsFunc(otherValues(&look.Columns, v), func(other reflect.Value) bool {
			v.Set(other)
			return !slices.Equal(with(&look), usual)
		}) {
			fields = append(fields, field)
		}
		v.Set(before)
	})
	return fields
}

// printedWith is what Print writes, in color.
func printedWith(look *part.Look) []string {
	var b strings.Builder
	err := Print(&b, uitest.RanksFixture(), PrintOptions{Width: 120, Theme: draw.Dark, Profile: colorprofile.TrueColor,
		Look: *look})
	if err != nil {
		panic(err) // a Builder takes everything
	}
	return []string{b.String()}
}

// lookPages are the pages that have something of the look.
var lookPages = []shot{
	{snap: uitest.RanksFixture, view: func(*view) {}},
	{snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnOverview }},
	{snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnProcesses }},
	{snap: uitest.RanksFixture, view: func(v *view) { v.on = keys.OnRanks }},
	{snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnJobs }},
	{snap: uitest.JobsFixture, view: func(v *view) { v.on = keys.OnUsers }},
	{snap: unifiedFixture, view: func(v *view) { v.chooseNode("gpu-n01", 0) }},
	{snap: unifiedFixture, view: func(v *view) { v.on = keys.OnOverview }},
}

// drawnWith draws the pages with a look.
func drawnWith(look *part.Look) (pages []string) { return drawnAfter(look, look) }

// drawnAfter draws the pages with a look, after they were drawn with another one.
func drawnAfter(before, look *part.Look) (pages []string) {
	for _, s := range lookPages {
		v, scene := s.scene(120, 40)
		var c *draw.Canvas
		for _, l := range []*part.Look{before, look} {
			v.settings.Now.Look, scene.Look = *l, *l
			c = draw.New(120, 40)
			v.drawPage(&part.Frame{Canvas: c, Scene: scene})
		}
		pages = append(pages, string(darkTheme.Encode(nil, c)))
	}
	return pages
}

// eachField calls f with each field, also of the structs in it, and its name: ".Colors.Classic".
func eachField(v reflect.Value, name string, f func(name string, v reflect.Value)) {
	if v.Kind() != reflect.Struct {
		f(name, v)
		return
	}
	for i := range v.NumField() {
		eachField(v.Field(i), name+"."+v.Type().Field(i).Name, f)
	}
}

// otherValues returns values of a field of the look that its pages show.
func otherValues(all *rows.ChosenColumns, v reflect.Value) (others []reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *bool:
		others = append(others, reflect.ValueOf(!*at))
	case *part.Levels:
		others = append(others, reflect.ValueOf(part.Levels{1, 2}), reflect.ValueOf(part.Levels{98, 99}))
	case *rows.ColumnList:
		for _, table := range rows.ColumnTables {
			if all.At(table) == at {
				others = append(others, reflect.ValueOf(rows.ColumnsOf([]string{table.Columns()[0].Key})))
			}
		}
	}
	return others
}
