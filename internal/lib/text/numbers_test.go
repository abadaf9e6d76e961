package text

import (
	"slices"
	"strings"
	"testing"
)

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"0 nodes": Count(0, "node"), "1 node": Count(1, "node"), "2 nodes": Count(2, "node"),
		"1 process": Plural(1, "process", "processes"), "3 processes": Plural(3, "process", "processes"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{
		"": nil, "3": {3}, "1, 2": {1, 2}, "0, 1, 3-7": {0, 1, 3, 4, 5, 6, 7}, "0-2, 4, 6-9": {0, 1, 2, 4, 6, 7, 8, 9},
	} {
		if got := Ranges(numbers); got != want {
			t.Errorf("%v is %q, want %q", numbers, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	for want, s := range map[string]string{
		"":                     "",
		"one":                  "one",
		"a long|word":          "a long word",
		"a|incomprehensible|b": "a incomprehensible b",
		"ab  cd":               "ab  cd",
		"abc def|ghi jkl m|n":  "abc def ghi jkl m n",
	} {
		got := Fill(strings.Split(s, " "), 7, 9, func(s string) int { return len(s) })
		if !slices.Equal(got, strings.Split(want, "|")) {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}
