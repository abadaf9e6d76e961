package columns

import (
	"regexp"
	"slices"
	"testing"
)

// Names are words that a list in the settings can hold. No table has one twice, and nobody who has asked for them can
// change them.
func TestNames(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for _, table := range Tables {
		all := table.Names()
		if len(all) < 2 || !word.MatchString(string(table)) {
			t.Errorf("table %q has %d columns", table, len(all))
		}
		for i, name := range all {
			if !word.MatchString(name) || slices.Contains(all[:i], name) {
				t.Errorf("%s: %q is no word, or is there twice", table, name)
			}
		}
		all[0] = "else"
		if table.Names()[0] == "else" {
			t.Errorf("the names of %s were changed", table)
		}
	}
	if len(names) != len(Tables) || Table("gpus").Names() != nil {
		t.Errorf("%d of %d tables have columns, or one that there is not", len(names), len(Tables))
	}
}

// By default what a row is about comes first. Saved settings and docs rely on the order.
func TestTheUsualOrder(t *testing.T) {
	for table, want := range map[Table][]string{Node: {"gpu", "rank", "name"}, Processes: {"gpu", "pid", "type"},
		Overview: {"node", "gpus", "util"}} {
		if got := table.Names(); !slices.Equal(got[:3], want) {
			t.Errorf("%s begins with %q, want %q", table, got[:3], want)
		}
	}
}

// A List keeps names in their order. No names are the default, which is no list of names.
func TestList(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  List
	}{{nil, ""}, {[]string{}, ""}, {[]string{"util"}, "util"},
		{[]string{"util", "gpu", "mem_bar"}, "util,gpu,mem_bar"}} {
		l := Of(test.names)
		if back := l.Names(); l != test.want || !slices.Equal(back, test.names) || l == "" && back != nil {
			t.Errorf("%q is the list %q, which is %q, want %q", test.names, l, back, test.want)
		}
	}
	for _, table := range Tables {
		turned := table.Names()
		for range turned {
			turned = append(turned[1:], turned[0])
			if got := Of(turned).Names(); !slices.Equal(got, turned) {
				t.Errorf("%s: %q comes back as %q", table, turned, got)
			}
		}
	}
}

// Each table has a list of its own, and begins with the default.
func TestChosen(t *testing.T) {
	var c Chosen
	for _, table := range Tables {
		if l := c.At(table); *l != "" {
			t.Errorf("%s begins with %q", table, *l)
		}
		*c.At(table) = List(table)
	}
	if want := (Chosen{Node: "node", Processes: "processes", Overview: "overview"}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}
