package tally

import "strings"

// Filter is the names that contain every word of the text, in upper or lower case, in their order. A text without words filters nothing.
func Filter(names []string, text string) []string {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return names
	}
	matching := make([]string, 0, len(names))
	for _, name := range names {
		if containsAll(strings.ToLower(name), words) {
			matching = append(matching, name)
		}
	}
	return matching
}

func containsAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
