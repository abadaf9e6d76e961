package web

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

const secret = "0123456789abcdef"

func TestTokenIsNeeded(t *testing.T) {
	r := newRig(secret, true)
	basic := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x:"+secret))
	for header, want := range map[string]int{
		"X-Nothing: 1":                                 http.StatusUnauthorized,
		"Authorization: Bearer " + secret:              http.StatusOK,
		"Authorization: bearer " + secret:              http.StatusOK,
		basic:                                          http.StatusOK,
		"Authorization: Bearer " + secret[1:]:          http.StatusUnauthorized,
		"Authorization: Bearer ":                       http.StatusUnauthorized,
		"Authorization: Bearer":                        http.StatusUnauthorized,
		"Cookie: " + r.gate.name + "=" + r.gate.cookie: http.StatusOK,
		// the token is no cookie, and the cookie is no token
		"Cookie: " + r.gate.name + "=" + secret:  http.StatusUnauthorized,
		"Authorization: Bearer " + r.gate.cookie: http.StatusUnauthorized,
		"Cookie: nvnodetop=" + r.gate.cookie:     http.StatusUnauthorized,
	} {
		for _, path := range []string{"/api/v1/jobs", "/metrics", "/gpu_status", "/cluster_status",
			"/nodes/n1/gpu_status"} {
			if w := r.ask("GET", path, header); w.Code != want {
				t.Errorf("%s with %q: %d, want %d", path, header, w.Code, want)
			}
		}
	}
	for _, path := range []string{"/", "/assets/icon.svg", "/-/healthy"} { // public
		if w := r.ask("GET", path); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := r.ask("GET", "/api/v1/jobs?token="+secret); w.Code != http.StatusUnauthorized {
		t.Errorf("the token in another address: %d", w.Code)
	}
}

func TestLinkBecomesACookie(t *testing.T) {
	r := newRig(secret, true)
	w := r.ask("GET", "/?token="+secret)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || strings.Contains(w.Body.String(), secret) {
		t.Fatalf("%d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		strings.Contains(cookies[0].String(), secret) {
		t.Fatalf("cookies %v", cookies)
	}
	if w := r.ask("GET", "/api/v1/jobs", "Cookie: "+cookies[0].Name+"="+cookies[0].Value); w.Code != http.StatusOK {
		t.Errorf("with the cookie: %d", w.Code)
	}
	for _, wrong := range []string{"", "x", secret + "x"} {
		if w := r.ask("GET", "/?token="+wrong); w.Code != http.StatusUnauthorized || len(w.Result().Cookies()) > 0 {
			t.Errorf("with the token %q: %d", wrong, w.Code)
		}
	}
	other := newGate(&Options{Token: secret + "x", Local: true})
	if other.name == r.gate.name || other.cookie == r.gate.cookie {
		t.Error("two tokens have one cookie")
	}
}

// A name that leads to this host (DNS rebinding) would give a foreign page the rights of ours.
func TestOnlyLocalNamesWhereTheServerIsLocal(t *testing.T) {
	local, open := newRig("", true), newRig("", false)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:9481": 200, "127.1.2.3": 200, "[::1]:9481": 200,
		"[::1]":        200,
		"evil.example": 403, "evil.example:9481": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403,
		"10.0.0.1:9481": 403, "login1": 403,
	} {
		if w := local.ask("GET", "/api/v1/jobs", "Host: "+host); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
		if w := open.ask("GET", "/api/v1/jobs", "Host: "+host); w.Code != 200 {
			t.Errorf("%q of a server with other names: %d", host, w.Code)
		}
	}
}
