package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestSchedule(t *testing.T) {
	for list, want := range map[string][]int{"3": {3}, "0-2,5": {0, 1, 2, 5}, "1023": {1023}, "": nil, "1024": nil, "2-1": nil,
		"a": nil, "1,": nil, "-1": nil, "1-": nil, " 1": nil, strings.Repeat("1,", MaxAffinity) + "1": nil} {
		s := Schedule{CPUs: list}
		err := s.Check()
		if got, _ := s.CPUNumbers(); err == nil && !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for nice, want := range map[int]bool{-21: false, -20: true, 0: true, 19: true, 20: false} {
		s := Schedule{Nice: new(nice)}
		if err := s.Check(); (err == nil) != want {
			t.Errorf("%s: %v", &s, err)
		}
	}
	if err := (&Schedule{Nice: new(1), CPUs: "1"}).Check(); err == nil {
		t.Error("two changes at once are taken")
	}
}
