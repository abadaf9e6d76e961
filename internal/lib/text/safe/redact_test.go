package safe

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
)

const (
	token = "T000B000SECRETxyz"
	query = "q-TOKEN+9/wx=="
)

func secretURL(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse("https://hooker:pass%2FWORD@hooks.example.org/services/" + token + "/größe%20x%2Fy?key=" +
		url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// encoded are the ways in which programs write a text.
func encoded(s string) map[string]string {
	js, _ := json.Marshal(s)
	percent := ""
	for i := range len(s) {
		percent += fmt.Sprintf("%%%02x", s[i])
	}
	return map[string]string{
		"plain": s, "upper": strings.ToUpper(s), "lower": strings.ToLower(s), "path": url.PathEscape(s),
		"query": url.QueryEscape(s), "twice": url.QueryEscape(url.QueryEscape(s)), "every": percent,
		"html": html.EscapeString(s), "JSON": string(js), "slashes": strings.ReplaceAll(s, "/", `\/`),
		"numbers": strings.NewReplacer("/", "&#x2F;", "=", "&#61;", "+", "&#43;").Replace(s),
		"unicode": strings.NewReplacer("/", `\u002f`, "=", `\u003d`, "S", `\u0053`).Replace(s),
		"legacy":  strings.ReplaceAll(s, "/", "%u002F"), "quoted": fmt.Sprintf("%+q", s),
		"colored": strings.ReplaceAll(s, "E", "\x1b[31mE\x1b[0m"), "binary": strings.ReplaceAll(s, "/", `\x2f`),
		"first half": s[:len(s)/2], "second half": s[len(s)/2:], "backwards": s,
	}
}

// However a part of the URL comes back, the quotation has none of it, and the rest of the words.
func TestNothingComesBack(t *testing.T) {
	u := secretURL(t)
	s := SecretOfURLs(u)
	password, _ := u.User.Password()
	basic := base64.StdEncoding.EncodeToString([]byte("hooker:" + password))
	for _, part := range []string{u.Path, u.EscapedPath(), u.RequestURI(), token, query, u.RawQuery, password, "hooker",
		u.User.String(), basic, u.String(), "größe x/y"} {
		for name, echo := range encoded(part) {
			for _, words := range []string{"Cannot POST " + echo + " here", `{"path":"` + echo + `"} here`,
				"x=" + echo + "; here", "<pre>POST " + echo + "</pre> here"} {
				got := s.Line(words, 200)
				if has := shared(got, token+" "+query+" "+password+" "+basic); has != "" ||
					!strings.HasSuffix(got, " here") {
					t.Errorf("%s of %q: %q has %q", name, part, got, has)
				}
			}
		}
	}
}

// shared is a run of both texts.
func shared(a, b string) string {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for i := range max(len(a)-4, 0) {
		if piece := a[i : i+5]; strings.Contains(b, piece) && !strings.Contains(piece, " ") {
			return piece
		}
	}
	return ""
}

// Words without the secret are quoted as they are, and cut.
func TestOtherWordsStay(t *testing.T) {
	s := SecretOfURLs(secretURL(t), nil)
	for _, words := range []string{"no_service", `{"message": "Unknown hook", "code": 10015}`, "invalid_payload", "",
		"100%25 of &lt;b&gt; \\u0041"} {
		if got := s.Line(words+"\nmore", 200); got != words {
			t.Errorf("%q, want %q", got, words)
		}
	}
	if got := s.Line(strings.Repeat("é", 500), 200); len(got) > 200 {
		t.Errorf("%d bytes", len(got))
	}
	if got := s.Line("\x1b[2Jbad %1b[2J /services/"+token+"%1b]0;x", 200); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

// Parts that are too short for a run count as words.
func TestShortParts(t *testing.T) {
	u, err := url.Parse("http://me:pw1@h/a1b2/T0?k=v9")
	if err != nil {
		t.Fatal(err)
	}
	s := SecretOfURLs(u)
	for words, want := range map[string]string{"for me: no": "for … no", "meant T0x": "meant T0x", "no a1b2": "no …",
		"T0 (v9)": "… …", "pw1": "…"} {
		if got := s.Line(words, 200); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

// The secrets of a command are its URLs and passwords, not its files, hosts and ports.
func TestCommand(t *testing.T) {
	s := SecretOfCommand("curl", "-d@-", "-H", "X: https://hooks.example.org/services/"+token, "/opt/bin/tell", "-x",
		"proxy.example.org:3128", "--proxy-auth=alice:Passw0rd!", "PROXY:proxy.example.org:gpu01:22,proxyauth=bob:hunter2")
	for words, want := range map[string]string{
		"curl: (22) 404 https://hooks.example.org/services/" + token: "curl: (22) 404 …",
		"407 for alice:Passw0rd! refused":                            "407 for … refused",
		"Passw0rd! hunter2":                                          "… …",
		"/opt/bin/tell: proxy.example.org:3128 gpu01 port 22":        "/opt/bin/tell: proxy.example.org:3128 gpu01 port 22",
		"/home/alice/bin/tell: it fails":                             "… it fails", // alice is the name of a login
	} {
		if got := s.Line(words, 200); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("Cannot POST %2fservices%2f" + token)
	f.Add(`{"path":"\/services\/` + token)
	f.Add("&#x2Fservices&amp;#x2F;\\u0054000B000SECRET")
	s := SecretOfURLs(&url.URL{Path: "/services/" + token})
	f.Fuzz(func(t *testing.T, words string) {
		got := s.Line(words, 200)
		if has := shared(got, token); len(has) >= wordRun || len(got) > 200 || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("%q: %q", words, got)
		}
	})
}
