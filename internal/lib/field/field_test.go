package field

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// person is a row.
type person struct {
	name string
	age  *int
	pets []pet
}

type pet struct{ legs float64 }

var people = Table[person]{Name: "people", Fields: append([]Field[person]{
	{Key: "name", Also: []string{"called"}, Text: func(p *person) string { return p.name }},
	{Key: "age", Unit: Count, DownFirst: true, Number: func(p *person) (float64, bool) { return Known(p.age) }},
	{Key: "picture"},
}, Each([]Field[pet]{{Key: "legs", Unit: Count, Number: func(p *pet) (float64, bool) { return p.legs, true }}},
	func(p *person) (on []*pet) {
		for i := range p.pets {
			on = append(on, &p.pets[i])
		}
		return on
	})...)}

// Unknown values come last in both directions, and equals stay in their place. A row may stand in for all.
func TestSort(t *testing.T) {
	rows := []person{{"b", new(7), nil}, {"", new(3), nil}, {"a", nil, nil}, {"b", new(3), nil}}
	var o Order
	for _, test := range []struct {
		key  string
		down bool
		want []int32
	}{{"age", false, []int32{1, 3, 0, 2}}, {"age", true, []int32{0, 1, 3, 2}}, {"name", false, []int32{2, 0, 3, 1}},
		{"name", true, []int32{0, 3, 2, 1}}} {
		var scratch person
		got := Sort(&o, people.Field(test.key), test.down, len(rows), func(i int) *person {
			scratch = rows[i]
			return &scratch
		}, nil)
		if !slices.Equal(got, test.want) {
			t.Errorf("by %s, down %t: %v, want %v", test.key, test.down, got, test.want)
		}
	}
}

// A value that is not known, or NaN, is no value; a row about several things has the value of each.
func TestValues(t *testing.T) {
	p := person{"a", nil, []pet{{4}, {math.NaN()}, {2}}}
	for key, want := range map[string]string{"name": "[{0 a}]", "age": "[]", "legs": "[{4 } {2 }]", "picture": "[]"} {
		if got := fmt.Sprint(people.Field(key).Values(&p, nil)); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// Fields about the subject of a row are absent if it is unknown.
func TestOf(t *testing.T) {
	type house struct{ owner *person }
	fields := Of(people.Fields[:2], func(h *house) *person { return h.owner })
	for _, h := range []house{{}, {&person{"a", new(3), nil}}} {
		name := fields[0].Text(&h)
		age, known := fields[1].Number(&h)
		if known != (h.owner != nil) || known != (name == "a") || known != (age == 3) {
			t.Errorf("%+v: %q, %v %t", h, name, age, known)
		}
	}
	if !fields[1].DownFirst || fields[1].Unit != Count || !slices.Equal(fields[0].Names(), []string{"name", "called"}) {
		t.Errorf("%+v", fields)
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]int{"name": 0, "CALLED": 0, "age": 1, "legs": 3, "ages": -1} {
		if got := people.Find(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
