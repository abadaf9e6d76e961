package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy restricts the page to things that this server has sent. Names of jobs and command lines come from other
// people.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// gate admits clients that know the token.
type gate struct {
	local  bool
	token  string // hashed: every comparison takes the same time
	name   string // of the cookie: browsers share cookies between all ports of a host
	cookie string // its value, from which nobody can tell the token
}

func newGate(token string, local bool) gate {
	d := gate{local: local}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		d.token, d.cookie = string(sum[:]), derived(token, "cookie")
		d.name = "nvnodetop_" + derived(token, "name")[:8]
	}
	return d
}

func derived(token, what string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("nvnodetop " + what))
	return hex.EncodeToString(m.Sum(nil))
}

// guard admits permitted requests, and adds the headers that keep a browser safe.
func (d *gate) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		known := d.knows(r)
		if !known || !settle(r) {
			h.Set("Connection", "close") // a client without the token keeps no place
		}
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered")
		case d.local && !localName(r.Host):
			h.Set("Connection", "close")
			fail(w, http.StatusForbidden,
				"this server answers only under the name localhost or the address of this host's loopback")
		case r.URL.Path == "/" && r.URL.Query().Has("token"):
			d.exchange(w, r)
		// these answers contain no user's data
		case r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/assets/") || strings.HasPrefix(r.URL.Path, "/-/"):
			next.ServeHTTP(w, r)
		case !known:
			h.Set("WWW-Authenticate", `Bearer realm="nvnodetop"`)
			fail(w, http.StatusUnauthorized,
				"not signed in: open the address that nvnodetop serve has printed, or send its token")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// localName reports whether a browser that asks for this host means this host, and not another host that pretends to be
// it by name.
func localName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" || host == "" {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// exchange gives a browser a cookie for the token in its address, so that the token does not stay there.
func (d *gate) exchange(w http.ResponseWriter, r *http.Request) {
	if d.token != "" {
		if !d.isToken(r.URL.Query().Get("token")) {
			fail(w, http.StatusUnauthorized, "wrong token: open the address that nvnodetop serve has printed last")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: d.name, Value: d.cookie, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// knows reports whether a request has the token: as a bearer token, as a password (for programs that know only
// passwords), or as the cookie.
func (d *gate) knows(r *http.Request) bool {
	if d.token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return d.isToken(token)
	}
	if _, password, ok := r.BasicAuth(); ok {
		return d.isToken(password)
	}
	cookie, err := r.Cookie(d.name)
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(d.cookie)) == 1
}

func (d *gate) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], []byte(d.token)) == 1
}
