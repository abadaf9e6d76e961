package settings

import (
	"os"
	"regexp"
	"strings"
)

// splitOption splits a line into its lower-case keyword and its value. A comment has no keyword.
func splitOption(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", ""
	}
	end := strings.IndexAny(line, " \t=\"")
	if end < 0 {
		return strings.ToLower(line), ""
	}
	value = strings.TrimLeft(line[end:], " \t")
	value = strings.TrimLeft(strings.TrimPrefix(value, "="), " \t")
	return strings.ToLower(line[:end]), value
}

// splitWords splits a value as OpenSSH does: at blanks outside quotes, up to a word that begins a comment. A backslash
// protects a quote, a backslash, and a blank outside quotes. The last quote may be missing.
func splitWords(s string) []string {
	var words []string
	var word []byte
	var quote byte
	inWord := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		blank := quote == 0 && (c == ' ' || c == '\t')
		switch {
		case blank && inWord:
			words, word, inWord = append(words, string(word)), nil, false
		case blank:
		case !inWord && c == '#':
			return words
		default:
			inWord = true
			switch {
			case c == '\\' && i+1 < len(s) && (strings.IndexByte(`'"\`, s[i+1]) >= 0 || quote == 0 && s[i+1] == ' '):
				i++
				word = append(word, s[i])
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote != 0 && c == quote:
				quote = 0
			default:
				word = append(word, c)
			}
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words
}

// token matches %x or ${NAME}, and percent only %x.
var token, percent = regexp.MustCompile(`(?s)%.|\$\{[^}]*\}`), regexp.MustCompile(`(?s)%.`)

// expandTokens replaces each %x that values has, and replaces ${NAME} by the environment variable.
func expandTokens(s string, values map[byte]string) string {
	return token.ReplaceAllStringFunc(s, func(t string) string {
		if name, ok := strings.CutPrefix(t, "${"); ok {
			return os.Getenv(strings.TrimSuffix(name, "}"))
		}
		return expandPercents(t, values)
	})
}

// expandPercents replaces each %x that values has.
func expandPercents(s string, values map[byte]string) string {
	return percent.ReplaceAllStringFunc(s, func(t string) string {
		if v, ok := values[t[1]]; ok {
			return v
		}
		return strings.Replace(t, "%%", "%", 1)
	})
}
