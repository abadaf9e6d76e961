package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// explainSlip says which rule of TOML a line breaks, with the line as it is meant; "": it breaks none of these rules.
func explainSlip(line string) string {
	line = strings.TrimSpace(strings.TrimSuffix(line, "\r"))
	if table, is := strings.CutPrefix(line, "["); is && !strings.ContainsAny(line, "]=") {
		return fmt.Sprintf("the name of a table ends with ]: [%s]", strings.TrimSpace(table))
	}
	key, value, hasValue := strings.Cut(line, "=")
	if !hasValue {
		if key, value, hasValue = strings.Cut(line, ":"); !hasValue || !isKey(strings.TrimSpace(key)) {
			return ""
		}
		return fmt.Sprintf("%s needs = in place of the colon: %s", strings.TrimSpace(key), meantLine(key, value))
	}
	if key = strings.TrimSpace(key); !isKey(key) {
		return ""
	}
	return explainValue(key, strings.TrimSpace(value))
}

// explainValue says which rule the value of a key breaks.
func explainValue(key, value string) string {
	first, size := utf8.DecodeRuneInString(value)
	switch {
	case value == "":
		return fmt.Sprintf(`%s has no value: %s = "…"`, key, key)
	case strings.ContainsRune("“”„‘’‚«»`´", first):
		return fmt.Sprintf("%s: %c is no quote in TOML: %s", key, first, meantLine(key, value))
	case first == '"' || first == '\'':
		if strings.ContainsRune(value[size:], first) {
			return ""
		}
		return fmt.Sprintf("%s: the quote %c is not closed: %s", key, first, meantLine(key, value))
	case isTruth(value):
		return fmt.Sprintf("%s must be true or false, in lower case", key)
	case unicode.IsDigit(first) && strings.ContainsFunc(value, unicode.IsLetter):
		return fmt.Sprintf("%s: a number with a unit needs quotes: %s", key, meantLine(key, value))
	case unicode.IsLetter(first) && value != "true" && value != "false", strings.ContainsRune("/~.", first):
		return fmt.Sprintf("%s: text needs quotes: %s", key, meantLine(key, value))
	}
	return ""
}

// isTruth reports whether a value is true or false in another language's words.
func isTruth(value string) bool {
	return value != "true" && value != "false" &&
		slices.Contains([]string{"true", "false", "yes", "no"}, strings.ToLower(value))
}

func isKey(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	})
}

// meantLine returns a key and its value, as TOML has them. A value that may be a secret is left out.
func meantLine(key, value string) string {
	value = strings.Trim(strings.TrimSpace(value), "\"'“”„‘’‚«»`´")
	if len(value) > most || strings.Contains(value, "://") || strings.ContainsFunc(value, isNotPrintable) {
		value = "…"
	}
	return fmt.Sprintf("%s = %q", strings.TrimSpace(key), value)
}
