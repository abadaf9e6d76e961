package hostkey

import "strings"

// matchList reports whether a name matches one of OpenSSH's patterns, separated by commas, and none of those that begin
// with "!". Patterns may have capital letters; name has none.
func matchList(name, patterns string) bool {
	matched := false
	for p := range strings.SplitSeq(patterns, ",") {
		p, negated := strings.CutPrefix(p, "!")
		if !matchPattern(name, p) {
			continue
		}
		if negated {
			return false
		}
		matched = true
	}
	return matched
}

// matchPattern compares a name with a pattern, in which * stands for any number of characters, and ? for one.
func matchPattern(name, pattern string) bool {
	n, p := 0, 0
	star, from := -1, 0 // the last *, and where the text that it stands for ends
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || lowerCase(pattern[p]) == name[n]):
			n++
			p++
		case star >= 0:
			from++
			n, p = from, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// lowerName returns a name as matchPattern compares it.
func lowerName(name string) string {
	lower := []byte(name)
	for i, c := range lower {
		lower[i] = lowerCase(c)
	}
	return string(lower)
}

func lowerCase(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
