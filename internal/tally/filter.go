package tally

import (
	"slices"
	"strings"
)

// Filter is the names that contain every word of the text, in upper or lower case, in their order. A text without words filters nothing.
func Filter(names []string, text string) []string {
	words := strings.Fields(strings.ToLower(text))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		name = strings.ToLower(name)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) })
	})
}
