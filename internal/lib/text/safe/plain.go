package safe

import (
	"html"
	"regexp"
	"strconv"
	"strings"
)

// escaped matches characters that URLs, JSON, and source code write as numbers or with a backslash.
var escaped = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\x[0-9A-Fa-f]{2}|[%\\]u[0-9A-Fa-f]{4}|\\[^A-Za-z0-9]`)

// decodeLine decodes a line, even if several programs have encoded it one after the other. The result is harmless to
// display.
func decodeLine(line string) string {
	const most = 5
	for range most {
		next := html.UnescapeString(escaped.ReplaceAllStringFunc(line, decodeEscape))
		if next = Line(next, longestSecret); next == line {
			break
		}
		line = next
	}
	return line
}

func decodeEscape(s string) string {
	digits := strings.TrimLeft(s, `%\xu`)
	code, err := strconv.ParseUint(digits, 16, 32)
	switch {
	case err != nil: // a backslash and a sign
		return s[1:]
	case len(digits) == len("ff"):
		return string([]byte{byte(code)})
	}
	return string(rune(code))
}
