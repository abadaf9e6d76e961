package web

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// ErrBase says that a base path is not valid.
var ErrBase = errors.New("is not a path such as /node/gpu01/9481: it begins with /, and has letters, digits and /-._~")

var basePath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// CleanBase returns a base path without a slash at its end; "": the root.
func CleanBase(base string) (string, error) {
	cut := strings.TrimSuffix(base, "/")
	if !basePath.MatchString(cut) || cut != "" && path.Clean(cut) != cut {
		return "", fmt.Errorf("%q %w", base, ErrBase)
	}
	return cut, nil
}

// serveUnder answers requests below base, with base removed from their path, and no others.
func serveUnder(base string, next http.Handler) http.Handler {
	if base == "" {
		return next
	}
	inner := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.EscapedPath()
		meant := cleanPath(asked)
		switch {
		case r.URL.Path == base: // links on the page start at its last slash
			redirectTo(w, r, base+"/", http.StatusPermanentRedirect)
		case !strings.HasPrefix(asked, base+"/") || !strings.HasPrefix(meant, base+"/"):
			failRequest(w, http.StatusNotFound, "all addresses of this server begin with "+base+"/")
		case meant != asked: // the mux would also redirect, but does not know the base
			redirectTo(w, r, meant, http.StatusTemporaryRedirect)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// cleanPath returns a path without "//", "." and "..", as the mux expects it.
func cleanPath(asked string) string {
	to := path.Clean(asked)
	if to != "/" && (strings.HasSuffix(asked, "/") || strings.HasSuffix(asked, "/.")) {
		to += "/"
	}
	return to
}

// redirectTo redirects a request to another path of this server.
func redirectTo(w http.ResponseWriter, r *http.Request, to string, status int) {
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	http.Redirect(w, r, to, status)
}
