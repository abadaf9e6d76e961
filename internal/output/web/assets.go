package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// embedded has the page and its files.
//
//go:embed assets
var embedded embed.FS

// kinds are the types of the files that the page loads, whatever types this host has for them.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// servePages serves the page and the files that it loads. They never change while the program runs.
func (s *Server) servePages(mux *http.ServeMux) {
	_ = fs.WalkDir(embedded, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kinds[path.Ext(name)] == "" {
			return err
		}
		text, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		address := "GET /" + name
		if name == "assets/index.html" {
			address = "GET /{$}"
		}
		mux.HandleFunc(address, assetHandler(path.Ext(name), text))
		return nil
	})
}

func assetHandler(ext string, text []byte) http.HandlerFunc {
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", kinds[ext])
		_, _ = w.Write(text)
	}
}
