package text

import "strings"

// Cell is a text for a table that no spreadsheet mistakes for a formula: texts from a node are not trusted.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}
