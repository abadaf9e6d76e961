package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// post sends a form to the page.
func (r *rig) post(path, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	r.answers.ServeHTTP(w, request)
	return w
}

// Behind a proxy the token of a form becomes a cookie, which is for the base path only.
func TestFormBecomesACookie(t *testing.T) {
	r := rigOf(Options{Token: secret, Local: true, Proxied: true, Base: "/node/n1/9481"})
	w := r.post("/node/n1/9481/", url.Values{"token": {secret}}.Encode())
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/node/n1/9481/" || len(cookies) != 1 {
		t.Fatalf("%d to %q, cookies %v: %s", w.Code, w.Header().Get("Location"), cookies, w.Body)
	}
	c := cookies[0]
	if c.Path != "/node/n1/9481/" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure ||
		strings.Contains(c.String()+w.Body.String(), secret) {
		t.Errorf("cookie %v, body %s", c, w.Body)
	}
	if w := r.ask("GET", "/node/n1/9481/api/v1/jobs", "Cookie: "+c.Name+"="+c.Value); w.Code != http.StatusOK {
		t.Errorf("with the cookie: %d", w.Code)
	}
	for body, want := range map[string]int{
		"token=": 401, "": 401, "token=" + secret + "x": 401, "token=%zz": 400,
		"x=" + strings.Repeat("x", 5<<10) + "&token=" + secret: 400,
	} {
		if w := r.post("/node/n1/9481/", body); w.Code != want || len(w.Result().Cookies()) > 0 {
			t.Errorf("form %.20q: %d, want %d", body, w.Code, want)
		}
	}
	for _, path := range []string{"/node/n1/9481/api/v1/jobs", "/node/n1/9481/assets/app.js"} {
		if w := r.post(path, "token="+secret); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("a form for %s: %d", path, w.Code)
		}
	}
	if w := newRig(secret, true).post("/", "token="+secret); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a form without a proxy: %d", w.Code)
	}
}

// Of a proxy's headers X-Forwarded-Proto counts, which makes the cookie stricter, and only behind a proxy.
func TestHeadersOfAProxy(t *testing.T) {
	for header, secure := range map[string]bool{"X-Forwarded-Proto: https": true, "X-Forwarded-Proto: http": false,
		"X-Forwarded-Ssl: on": false} {
		for _, behind := range []bool{true, false} {
			w := rigOf(Options{Token: secret, Proxied: behind}).ask("GET", "/?token="+secret, header)
			if cookies := w.Result().Cookies(); len(cookies) != 1 || cookies[0].Secure != (secure && behind) {
				t.Errorf("%s, behind a proxy %t: cookies %v", header, behind, cookies)
			}
		}
	}
	for _, behind := range []bool{true, false} {
		r := rigOf(Options{Token: secret, Local: true, Proxied: behind})
		for _, header := range []string{"X-Forwarded-User: alice", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1",
			"X-Forwarded-Uri: /-/healthy", "X-Forwarded-Host: localhost", "X-Remote-User: alice"} {
			if w := r.ask("GET", "/api/v1/jobs", header); w.Code != http.StatusUnauthorized {
				t.Errorf("%s, behind a proxy %t: %d", header, behind, w.Code)
			}
		}
		bearer := "Authorization: Bearer " + secret
		for _, header := range []string{"X-Forwarded-Host: localhost", "Forwarded: host=localhost"} {
			if w := r.ask("GET", "/api/v1/jobs", "Host: evil.example", header, bearer); (w.Code == http.StatusOK) != behind {
				t.Errorf("another name with %s, behind a proxy %t: %d", header, behind, w.Code)
			}
		}
	}
	// the password of a browser is the proxy's, and hides no cookie
	r := rigOf(Options{Token: secret, Proxied: true})
	if w := r.ask("GET", "/api/v1/jobs", "Authorization: Basic YWxpY2U6eA==",
		"Cookie: "+r.gate.name+"="+r.gate.cookie); w.Code != http.StatusOK {
		t.Errorf("a cookie beside another password: %d", w.Code)
	}
}

func TestBasePath(t *testing.T) {
	r := rigOf(Options{Token: secret, Base: "/node/n1/9481"})
	bearer := "Authorization: Bearer " + secret
	for path, want := range map[string]int{
		"/node/n1/9481/": 200, "/node/n1/9481/api/v1/jobs": 200, "/node/n1/9481/assets/app.js": 200,
		"/node/n1/9481/-/healthy": 200, "/node/n1/9481/nothing": 404, "/": 404, "/api/v1/jobs": 404, "/node/n1/94811/": 404,
		"/node/n1/9481x": 404, "/node/n1/9481/../../../api/v1/jobs": 404, "/node%2Fn1/9481/": 404,
		"/node/n1/9481/api/v1/jobs/a%2Fb": 404, "/node/n1/9481": 308, "//node/n1/9481/": 404,
	} {
		if w := r.ask("GET", path, bearer); w.Code != want {
			t.Errorf("%s: %d, want %d to %q", path, w.Code, want, w.Header().Get("Location"))
		}
	}
	if w := r.ask("GET", "/node/n1/9481?token=x"); w.Header().Get("Location") != "/node/n1/9481/?token=x" {
		t.Errorf("without its slash: %q", w.Header().Get("Location"))
	}
	for path, want := range map[string]string{"/assets/../metrics": "/metrics", "//metrics": "/metrics",
		"/./": "/", "/assets/..": "", "/../9481/metrics?a=b": "/metrics?a=b", "/a/./b//?x=/../": "/a/b/?x=/../", "/..": "",
		"/../": "", "/../../../../../metrics": "", "/../94811/": "", "/api/v1": "", "/api/v1/": "", "/assets": "",
		"/%2e%2e/%2e%2e/metrics": "", "//evil.example/..//x": "/x", "//evil.example/../..//x": "", "/-/healthy/": ""} {
		want := "/node/n1/9481" + want
		w := r.ask("GET", "/node/n1/9481"+path, bearer)
		if got := w.Header().Get("Location"); got != "" && got != want || got == "" && want != "/node/n1/9481" {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
	}
}

func TestWhatIsABasePath(t *testing.T) {
	for base, want := range map[string]string{"": "", "/": "", "/a": "/a", "/a/": "/a",
		"/node/gpu-01.x/9_1~": "/node/gpu-01.x/9_1~"} {
		if got, err := CleanBase(base); got != want || err != nil {
			t.Errorf("%q: %q, %v", base, got, err)
		}
	}
	for _, base := range []string{"a", "a/b", "//", "//evil.example", "/a//b", "/a/../b", "/a/.", "/a b", "/a?b", "/a#b",
		"/a%2Fb", "/\n", "http://h/", "/{x}", "/ä"} {
		if got, err := CleanBase(base); err == nil {
			t.Errorf("%q is taken for %q", base, got)
		}
	}
}
