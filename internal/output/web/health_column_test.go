package web

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/chromium"
)

// The column Health has the width that is left, and wraps: a problem can be read in full at the width of a laptop.
func TestHealthIsReadable(t *testing.T) {
	t.Parallel()
	b, s := chromium.New(t), newSite(t)
	if err := b.See(chromium.Look{Width: 1280, Height: 900}); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"#/jobs", "#/nodes"} {
		s.report(90, 91)
		if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address), b.Wait("document.querySelector('main tbody td.words')")); err != nil {
			t.Fatal(err)
		}
		var width int
		var cut bool
		if err := b.Eval("document.querySelector('main tbody td.words').clientWidth", &width); err != nil || width < 180 {
			t.Errorf("%s: Health is %d px wide, %v", address, width, err)
		}
		if err := b.Eval("[...document.querySelectorAll('main td.words')].some((c) => c.scrollWidth > c.clientWidth + 1)", &cut); err != nil || cut {
			t.Errorf("%s: Health is cut, %v", address, err)
		}
	}
}

// An address that names nothing is answered with a sentence.
func TestUnknownAddress(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/nosuch", "/nosuch/page.html"} {
		r, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if want := `there is nothing at \"` + path + `\": the web page is at /`; r.StatusCode != http.StatusNotFound || err != nil ||
			!strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %q, want %q", path, r.Status, text, want)
		}
	}
}
