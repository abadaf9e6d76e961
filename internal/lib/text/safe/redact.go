package safe

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// A Secret quotes text from programs that know a secret of the user, such as the URL of a webhook. The text may repeat
// the secret: in full or in part, decoded or encoded, in upper or lower case. A quotation shows nothing of it.
//
// Any number of goroutines may use a Secret; it does not change.

const (
	// wordRun is the number of consecutive characters that a quotation may not share with a secret. Shorter parts of a
	// secret count only as whole words.
	wordRun       = 6
	leastSecret   = 2       // characters of a part
	longestSecret = 8 << 10 // bytes of text that are examined
	hiddenWord    = "…"     // replaces a word
)

// Secret is what quotations must not show.
type Secret struct {
	runs  map[string]bool // of exactly run characters
	short map[string]bool // whole words
}

// SecretOfURLs returns the secrets in URLs: the user, the password, the path, the query and the fragment of each. A nil
// URL has none.
func SecretOfURLs(urls ...*url.URL) *Secret {
	s := &Secret{map[string]bool{}, map[string]bool{}}
	for _, u := range urls {
		if u == nil {
			continue
		}
		s.addText(publicWords.ReplaceAllString(u.EscapedPath(), "/$1") + "?" + u.RawQuery + "#" + u.EscapedFragment())
		s.addText(strings.ReplaceAll(u.RawQuery, "+", " "))
		s.addText(u.Opaque)
		if u.User != nil {
			password, _ := u.User.Password()
			s.addLogin(u.User.Username(), password)
		}
	}
	return s
}

var (
	// publicWords matches the beginning of a path that is the same for all users of a service. It is also a word in the
	// service's answers.
	publicWords  = regexp.MustCompile(`^/[a-z]{1,10}/(.)`)
	urls         = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s'"]+`)
	logins       = regexp.MustCompile(`([^\s:=,;'"/@]+):([^\s:,;'"/]+)(?:$|[\s,;'"])`)
	secretNumber = regexp.MustCompile(`^[0-9]+$`)
)

// SecretOfCommand returns the secrets in the words of a command: those of its URLs, and each NAME:PASSWORD. A port does
// not count as a password.
func SecretOfCommand(words ...string) *Secret {
	var found []*url.URL
	for _, word := range words {
		for _, text := range urls.FindAllString(word, -1) {
			if u, err := url.Parse(text); err == nil {
				found = append(found, u)
			}
		}
	}
	s := SecretOfURLs(found...)
	for _, word := range words {
		for _, login := range logins.FindAllStringSubmatch(urls.ReplaceAllString(word, ""), -1) {
			if !secretNumber.MatchString(login[2]) {
				s.addLogin(login[1], login[2])
			}
		}
	}
	return s
}

// addLogin adds a name and a password, also in the form of HTTP's Basic authentication.
func (s *Secret) addLogin(name, password string) {
	s.addText(name)
	s.addText(password)
	s.addText(strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(name+":"+password)), "="))
}

func (s *Secret) addText(words string) {
	words = lowerCase(decodeLine(words))
	r := []rune(words)
	for i := range max(len(r)-wordRun+1, 0) {
		s.runs[string(r[i:i+wordRun])] = true
	}
	for _, part := range strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune("/?&=#;", r) }) {
		if n := len([]rune(part)); n >= leastSecret && n < wordRun {
			s.short[part] = true
		}
	}
}

// Line quotes the first line of words: harmless to display, at most limit bytes, and with "…" in place of each word
// that contains a part of the secret.
func (s *Secret) Line(words string, limit int) string {
	return Line(s.hideWords(Line(text.FirstLine(words), longestSecret)), limit)
}

// Text is Line for words of several lines.
func (s *Secret) Text(words string) string {
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		lines[i] = s.hideWords(line)
	}
	return strings.Join(lines, "\n")
}

// hideWords hides the words of a line that contain a part of the secret. If there are any, it returns the rest decoded,
// since the words are found in the decoded line only.
func (s *Secret) hideWords(line string) string {
	r := []rune(decodeLine(line))
	low := []rune(lowerCase(string(r)))
	secret := make([]bool, len(r))
	some := false
	mark := func(from, to int) {
		for some = true; from < to; from++ {
			secret[from] = true
		}
	}
	for i := range low {
		if i+wordRun <= len(low) && s.runs[string(low[i:i+wordRun])] {
			mark(i, i+wordRun)
		}
		for n := leastSecret; n < wordRun && i+n <= len(low); n++ {
			if s.short[string(low[i:i+n])] && !isInWord(low, i-1) && !isInWord(low, i+n) {
				mark(i, i+n)
			}
		}
	}
	if !some {
		return line
	}
	return withoutWords(r, secret)
}

// withoutWords replaces every word with a secret character.
func withoutWords(r []rune, secret []bool) string {
	var b strings.Builder
	for at := 0; at < len(r); {
		end, isSecret := at, false
		for end < len(r) && (secret[end] || !unicode.IsSpace(r[end])) {
			isSecret = isSecret || secret[end]
			end++
		}
		if isSecret {
			b.WriteString(hiddenWord)
		} else {
			b.WriteString(string(r[at:end]))
		}
		if at = end; at < len(r) {
			b.WriteRune(r[at])
			at++
		}
	}
	return b.String()
}

func isInWord(r []rune, i int) bool {
	return i >= 0 && i < len(r) && (unicode.IsLetter(r[i]) || unicode.IsDigit(r[i]))
}

// lowerCase is strings.ToLower, but keeps the number of characters.
func lowerCase(s string) string { return strings.Map(unicode.ToLower, s) }
