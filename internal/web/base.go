package web

import (
	"errors"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// ErrBase says that a base path is none.
var ErrBase = errors.New("is no path such as /node/gpu01/9481: it begins with /, and has letters, digits and /-._~")

var basePath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// CleanBase returns a base path without a slash at its end; "": the root.
func CleanBase(base string) (string, error) {
	cut := strings.TrimSuffix(base, "/")
	if !basePath.MatchString(cut) || cut != "" && path.Clean(cut) != cut {
		return "", ErrBase
	}
	return cut, nil
}

// under answers requests below base, without it, and no others.
func under(base string, next http.Handler) http.Handler {
	if base == "" {
		return next
	}
	inner := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == base: // the links of the page begin at its last slash
			to := *r.URL
			to.Path, to.RawPath = base+"/", ""
			http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.EscapedPath(), base+"/"):
			inner.ServeHTTP(w, r)
		default:
			fail(w, http.StatusNotFound, "all addresses of this server begin with "+base+"/")
		}
	})
}
