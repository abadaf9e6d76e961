package text

import (
	"strconv"
	"strings"
)

// Plural writes a number of things: "1 node", "4 nodes".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Count is Plural for a word whose plural adds an s.
func Count(n int, one string) string { return Plural(n, one, one+"s") }

// Ranges writes ascending numbers: "0-10, 12, 14-63".
func Ranges(numbers []int) string { return strings.Join(Runs(numbers), ", ") }

// Runs are the parts of Ranges: "0-10", "12". Two adjacent numbers are no range: "0, 1" is as short.
func Runs(numbers []int) (runs []string) {
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if last == i+1 {
			last = i
		}
		run := strconv.Itoa(numbers[i])
		if last > i {
			run += "-" + strconv.Itoa(numbers[last])
		}
		runs = append(runs, run)
		i = last + 1
	}
	return runs
}

// Some joins the first names, and counts the others: "a, b and 3 more".
func Some(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// Fill joins words into lines, with one space between two words. The first line has room for first columns, the others
// for rest; width measures a text. A word that is too long has its own line.
func Fill(words []string, first, rest int, width func(string) int) []string {
	lines, used, room := []string{""}, 0, first
	for i, word := range words {
		at, n := len(lines)-1, width(word)
		switch {
		case i == 0:
			lines[at], used = word, n
		case used+1+n <= room:
			lines[at], used = lines[at]+" "+word, used+1+n
		default:
			lines, used, room = append(lines, word), n, rest
		}
	}
	return lines
}
