package text

import (
	"fmt"
	"strings"
)

// Meant asks whether the user meant another name, such as `, did you mean "list"?`; "": no name is similar.
func Meant(wrong string, names []string) string {
	if near := Similar(wrong, names); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// Similar returns the name that a misspelled one probably means; "": none is similar enough. Of a short name, one
// character may be wrong, and of a longer one every third. The beginning of a name means the name.
func Similar(wrong string, names []string) string {
	const short = 3 // characters of a name of which one may be wrong
	near, far := Nearest(strings.ToLower(wrong), names)
	if far > len(wrong)/short {
		return ""
	}
	return near
}

// Nearest returns the name most similar to s, and the number of different characters. If s is only the beginning of a
// name, or the part after its dot, or has its stem, the rest of the name counts as one character.
func Nearest(s string, names []string) (near string, far int) {
	far = 1 << 10
	for _, name := range names {
		d := editDistance(s, name)
		if strings.HasPrefix(name, s) || strings.HasSuffix(name, "."+s) || sharesStem(s, name) {
			d = min(d, 1)
		}
		if d = min(d, distanceToWord(s, name)); d < far {
			near, far = name, d
		}
	}
	return near, far
}

// distanceToWord returns the distance of a word to one of the words of a name; the other words count too.
func distanceToWord(s, name string) int {
	least, words := 1<<10, strings.FieldsFunc(name, isBetweenWords)
	if len(words) < 2 || strings.ContainsFunc(s, isBetweenWords) {
		return least
	}
	for _, word := range words {
		least = min(least, max(editDistance(s, word), 1)+1)
	}
	return least
}

func isBetweenWords(r rune) bool { return r == '.' || r == '_' || r == '-' }

// sharesStem reports whether two words begin alike and differ only in their endings: failed, failure.
func sharesStem(a, b string) bool {
	const stem = 4 // characters of a stem, at least
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= stem && !strings.ContainsFunc(a, isBetweenWords) && n*3 >= len(a)*2 && n*2 >= len(b)
}

// editDistance returns the number of characters to insert, delete, replace or swap with their neighbor to make a into
// b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
