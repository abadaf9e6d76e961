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

// policy restricts the page to what this server has sent. It is needed because names of jobs and command lines come
// from other people.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// gate admits clients that know the token.
type gate struct {
	local  bool   // names of other hosts are refused
	behind bool   // a proxy sends the requests
	home   string // address of the page, for which the cookie is valid
	token  string // token, hashed so that every comparison takes the same time
	name   string // of the cookie: browsers share cookies between all ports of a host
	cookie string // its value, from which the token cannot be derived
}

func newGate(o *Options) gate {
	d := gate{local: o.Local && !o.Proxied, behind: o.Proxied, home: o.Base + "/"}
	if token := o.Token; token != "" {
		sum := sha256.Sum256([]byte(token))
		d.token, d.cookie = string(sum[:]), deriveKey(token, "cookie")
		d.name = "nvnodetop_" + deriveKey(token, "name")[:8]
	}
	return d
}

func deriveKey(token, what string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("nvnodetop " + what))
	return hex.EncodeToString(m.Sum(nil))
}

// guardHandler admits permitted requests, and adds the headers that keep a browser safe.
func (d *gate) guardHandler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		known := d.hasToken(r)
		if !known || !mayStayOpen(r) {
			h.Set("Connection", "close") // a client without the token does not keep a place
		}
		switch {
		case d.behind && r.Method == http.MethodPost && r.URL.Path == "/":
			d.signIn(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			failRequest(w, http.StatusMethodNotAllowed, "only GET and HEAD are answered")
		case d.local && !localName(r.Host):
			h.Set("Connection", "close")
			failRequest(w, http.StatusForbidden,
				"this server answers only under the name localhost or the address of this host's loopback")
		case r.URL.Path == "/" && r.URL.Query().Has("token"):
			d.exchangeToken(w, r, r.URL.Query().Get("token"))
		// these answers contain no user's data
		case r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/assets/") || strings.HasPrefix(r.URL.Path, "/-/"):
			next.ServeHTTP(w, r)
		case !known:
			h.Set("WWW-Authenticate", `Bearer realm="nvnodetop"`)
			failRequest(w, http.StatusUnauthorized,
				"not signed in: open the address that nvnodetop serve has printed, or send its token")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// localName reports whether a browser that asks for this host name means this host, and not another host that pretends
// to be it by name.
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

// maxForm limits the size of a form.
const maxForm = 4 << 10

// signIn exchanges the token of a form for a cookie. A proxy logs addresses, but not forms.
func (d *gate) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		failRequest(w, http.StatusBadRequest, "a form with the token was expected")
		return
	}
	d.exchangeToken(w, r, r.PostForm.Get("token"))
}

// exchangeToken gives a browser a cookie in exchange for the token in its address or form, so that the token does not
// stay there.
func (d *gate) exchangeToken(w http.ResponseWriter, r *http.Request, token string) {
	if d.token != "" {
		if !d.isToken(token) {
			failRequest(w, http.StatusUnauthorized, "wrong token: open the address that nvnodetop serve has printed last")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: d.name, Value: d.cookie, Path: d.home, HttpOnly: true,
			SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || d.behind && overTLS(r)})
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, d.home, http.StatusSeeOther)
}

// overTLS reports whether the browser reached the proxy over TLS. No other header of a proxy is trusted. A false value
// here only keeps the proxy's own client from signing in.
func overTLS(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// hasToken reports whether a request has the token: as a bearer token, as a password (for programs that only support
// passwords), or as the cookie.
func (d *gate) hasToken(r *http.Request) bool {
	if d.token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && d.isToken(token) {
		return true
	}
	// the browser's password may be meant for the proxy
	if _, password, ok := r.BasicAuth(); ok && d.isToken(password) {
		return true
	}
	cookie, err := r.Cookie(d.name)
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(d.cookie)) == 1
}

func (d *gate) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], []byte(d.token)) == 1
}
