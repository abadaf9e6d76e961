package text

import (
	"fmt"
	"strings"
)

// Meant asks whether the user meant another name, such as `, did you mean "list"?`; "": no name is similar.
func Meant(wrong string, names []string) string {
	const typo = 2
	if near, far := Nearest(strings.ToLower(wrong), names); far <= typo && far < len(wrong) {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// Nearest returns the name most similar to s, and the number of different characters. If s is only the beginning of a
// name, or the part after its dot, the rest of the name counts as one character.
func Nearest(s string, names []string) (near string, far int) {
	far = 1 << 10
	for _, name := range names {
		d := editDistance(s, name)
		if strings.HasPrefix(name, s) || strings.HasSuffix(name, "."+s) {
			d = min(d, 1)
		}
		if d < far {
			near, far = name, d
		}
	}
	return near, far
}

// editDistance returns the number of characters to insert, delete or replace to make a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(b)]
}
