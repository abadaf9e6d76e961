package inspect

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// variable is a variable of an environment, safe to display.
type variable struct {
	name, value string
	secret      bool
	between     string // what stands between the name and the value when they are copied
}

// parseEnviron returns the variables of an environment, by name.
func parseEnviron(environ []string) []variable {
	list := make([]variable, 0, len(environ))
	for _, line := range environ {
		if line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		v := variable{name: cleanText(name), value: cleanText(value), between: "="}
		v.secret = value != "" && (secretName.MatchString(v.name) || looksSecret(v.value))
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(a, b variable) int { return cmp.Compare(a.name, b.name) })
	return list
}

// longest limits a name or a value, in bytes: more than a node may send.
const longest = 1 << 20

// cleanText makes a text of an environment safe to display. Line ends, which shell functions have, become "\n".
func cleanText(s string) string { return safe.Line(strings.ReplaceAll(s, "\n", `\n`), longest) }

// secretName matches names of secrets. PASS is in PASSWD and PASSWORD; PWD and OLDPWD are directories, but MYSQL_PWD is
// a password.
var secretName = regexp.MustCompile(`(?i)KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|WEBHOOK|(^|_)DSN|_PWD$|_PW$`)

// secretValue matches secrets by their beginning, which names the issuer. The last alternative is a password in a URL.
var secretValue = regexp.MustCompile(`^(gh[opsur]_|github_pat_|gl[a-z]{1,5}-[\w-]{16}|hf_\w{16}|sk-\w|xox[a-z]-|` +
	`AKIA[0-9A-Z]{12}|ASIA[0-9A-Z]{12}|AIza|eyJ[\w-]+\.|Bearer |Basic )|-----BEGIN|://[^/@\s]*:[^/@\s]+@`)

// secretWord matches a password inside a value: in user:password@host, in an option, or in a setting.
var secretWord = regexp.MustCompile(`(?i)(^|[\s,;='"(])[^\s/@:${]+:[^\s/@]+@|passw(or)?d[= ]\S|(token|secret)=\S|` +
	`--(token|secret) \S`)

var (
	oneWord   = regexp.MustCompile(`^[A-Za-z0-9_+=.~-]{24,}$`)
	randomRun = regexp.MustCompile(`[A-Za-z0-9]{20,}`)
)

// looksSecret reports whether a value looks like a secret, whatever its name. One long word with a run of both letters
// and digits looks like one, too: paths, versions and UUIDs have no such run.
func looksSecret(value string) bool {
	if secretValue.MatchString(value) || secretWord.MatchString(value) {
		return true
	}
	run := randomRun.FindString(value)
	return oneWord.MatchString(value) && strings.ContainsAny(run, "0123456789") && strings.Trim(run, "0123456789") != ""
}

// hidden stands in place of a secret of any length.
var hidden = "●●●●●●●●  (hidden, " + keys.Name(keys.Secrets) + " shows)"

// searchText is the text of the variable that a search covers: it includes the value unless that is hidden.
func (v *variable) searchText(shown bool) string {
	if v.secret && !shown {
		return v.name
	}
	return v.name + v.between + v.value
}
