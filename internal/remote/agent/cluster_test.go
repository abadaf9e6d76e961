package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file of nvgpu's documentation, and what is wrong with others. Nothing in them is run.
func TestListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nvgpu_master.cfg")
	for text, want := range map[string]string{
		"# nvgpu_master.cfg\nAGENTS = [\n  'self', # node01 - master - direct access without using HTTP\n" +
			"  'http://node02:1080',\n  \"http://node03:1080\",\n]\n": "self,http://node02:1080,http://node03:1080",
		"DEBUG = True\n":                     "self",
		"AGENTS = []":                        Nobody,
		"AGENTS = ['a' + open('x').read()]":  "error: AGENTS must be a list of strings",
		"#AGENTS = ['http://a']\nAGENTS=[x]": "error: AGENTS must be a list of strings, and has x",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Listed(path)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, strings.TrimPrefix(want, "error: "))) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for _, path := range []string{"/dev/zero", t.TempDir(), path + "x"} {
		if list, err := Listed(path); err == nil {
			t.Errorf("%s: %s", path, list)
		}
	}
}

func TestElapsed(t *testing.T) {
	for words, want := range map[string]int64{"just now": 0, "12 seconds ago": 12, "a minute ago": 60,
		"an hour ago": 3600, "2 days ago": 2 * 86400, "3 weeks ago": 21 * 86400, "in 2 hours": -1, "-5 hours ago": -1,
		"99999999999999999999 years ago": -1, "2 lightyears ago": -1, "": -1} {
		got, known := parseElapsed(&words)
		if !known {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}
