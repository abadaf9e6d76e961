package shapes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/test/raced"
)

// Each shape gets its wanted findings in time, and no other alarm. scripts/score prints the table.
func TestShapes(t *testing.T) {
	for i, s := range All() {
		if raced.On && i%24 != 0 { // scripts/test plays all of them without the race detector
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			v := Judge(s, Play(s, 1))
			reason, known := Known[s.Name]
			switch {
			case known && reason == "":
				t.Error("no reason is given why it is not right yet")
			case known && v.Good():
				t.Error("it is right now: remove it from Known")
			case !known && !v.Good():
				t.Errorf("%d late, %d missed, said wrongly: %s", v.Late, v.Missed, Counts(v.False))
				for _, e := range v.False {
					t.Logf("after %v: %v %s: %s", e.From, e.Severity, e.Kind, e.Say)
				}
			}
		})
	}
}

// Each shape has its own name and description, and no other has its name.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	hours := 0.0
	for _, s := range All() {
		if names[s.Name] || s.About == "" {
			t.Errorf("%q is there twice, or says nothing", s.Name)
		}
		if names[s.Name] = true; !s.Faulty() {
			hours += s.Length.Hours()
		}
	}
	for name := range Known {
		if !names[name] {
			t.Errorf("there is no shape %q", name)
		}
	}
	if hours < 80 {
		t.Errorf("%.1f job-hours of healthy work", hours)
	}
}

// The same seed gives the same job, another one another.
func TestSeeds(t *testing.T) {
	shape := func(name string) Shape {
		for _, s := range All() {
			if s.Name == name {
				return s
			}
		}
		t.Fatalf("there is no shape %q", name)
		return Shape{}
	}
	s := shape("f01 clock")
	first, again, other := Play(s, 1), Play(s, 1), Play(s, 2)
	if diff := cmp.Diff(first, again, cmp.Comparer(sameFloats)); diff != "" {
		t.Errorf("the same seed differs:\n%s", diff)
	}
	if cmp.Equal(first, other, cmp.Comparer(sameFloats)) {
		t.Error("another seed gives the same")
	}
}

func sameFloats(a, b float32) bool { return a == b || a != a && b != b }
