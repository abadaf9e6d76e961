package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// mit returns the text of a licence that is known: nvnodetop's own.
func mit(t *testing.T) string {
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// zeroBSD is a licence about which nobody has decided.
const zeroBSD = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.`

// source writes a source with vendored modules, by path, and the files of each.
func source(t *testing.T, modules map[string]string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	list, sums := "# no.package/of/it v1.0.0\n## explicit\n", ""
	for path, version := range modules {
		list += "# " + path + " " + version + "\n## explicit\n" + path + "\n"
		sums += path + " " + version + "/go.mod h1:AAAA\n" + path + " " + version + " h1:q80=\n"
	}
	all := map[string]string{"LICENSE": mit(t), "vendor/modules.txt": list, "go.sum": sums, "vendor/x": ""}
	maps.Copy(all, files)
	for name, text := range all {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A module without a licence, or with one that nobody has decided about, stops the release.
func TestLicences(t *testing.T) {
	modules := map[string]string{"a.b/c": "v1.0.0", "a.b/c/d": "v2.0.0"}
	good := map[string]string{
		"vendor/a.b/c/LICENSE": mit(t), "vendor/a.b/c/NOTICE": "This is a notice.", "vendor/a.b/c/e/COPYING": mit(t),
		"vendor/a.b/c/d/LICENCE.txt": mit(t), "vendor/a.b/c/e/licence.go": "package e", "docs/LICENSE": "not at the root",
	}
	var out strings.Builder
	if err := run([]string{"licences", source(t, modules, good), "it-1.0.0"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"it-1.0.0 contains", "This is a notice.", "\ne/COPYING\n", "\nLICENCE.txt\n"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, out.String())
		}
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"none":      {"vendor/a.b/c/d/LICENCE.txt", "", "a.b/c/d: 100 % of LICENCE.txt is an unknown licence"},
		"unknown":   {"vendor/a.b/c/LICENSE", "Pay for it, and ask first.", "a.b/c: 100 % of LICENSE is an unknown licence"},
		"other":     {"vendor/a.b/c/e/COPYING", zeroBSD, "a.b/c: licence 0BSD"},
		"more":      {"vendor/a.b/c/LICENSE", mit(t) + strings.Repeat("But never on Sundays. ", 50), "% of LICENSE is an"},
		"own":       {"LICENSE", "All rights reserved.", "100 % of LICENSE is an unknown licence"},
		"no module": {"vendor/modules.txt", "# a.b/x v1.0.0\na.b/x/y\n", "vendor/a.b/x"},
	} {
		files := maps.Clone(good)
		files[c.file] = c.text
		err := run([]string{"licences", source(t, modules, files), "it"}, &out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	delete(good, "vendor/a.b/c/d/LICENCE.txt")
	good["vendor/a.b/c/d/x.go"] = "package d"
	err := run([]string{"licences", source(t, modules, good), "it"}, &out)
	if err == nil || !strings.HasSuffix(err.Error(), "a.b/c/d has no licence") {
		t.Errorf("without a file: %v", err)
	}
}

// The bill lists the modules of a program as the program itself names them, and refuses what the source does not have.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || len(info.Deps) == 0 {
		t.Fatal("this test knows no modules of its own")
	}
	modules, files := map[string]string{"not.linked/here": "v1.0.0"}, map[string]string{"vendor/not.linked/here/x.go": ""}
	for _, d := range info.Deps {
		modules[d.Path] = d.Version
		files["vendor/"+d.Path+"/LICENSE"] = mit(t)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1795000000")
	bill := func(modules map[string]string) (string, error) {
		var out strings.Builder
		err := run([]string{"cyclonedx", source(t, modules, files), "it-1.0.0-linux", "1.0.0", self}, &out)
		return out.String(), err
	}
	text, err := bill(modules)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := bill(modules); again != text || err != nil {
		t.Errorf("another bill the second time, %v", err)
	}
	var doc struct {
		SpecVersion string
		Metadata    struct{ Timestamp string }
		Components  []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range doc.Components {
		names = append(names, c.Name)
	}
	for _, d := range info.Deps {
		if !slices.Contains(names, d.Path) {
			t.Errorf("%s is not in %v", d.Path, names)
		}
	}
	if len(names) != len(info.Deps)+2 || !slices.Contains(names, "stdlib") || doc.SpecVersion != "1.6" ||
		doc.Metadata.Timestamp != "2026-11-18T11:06:40Z" {
		t.Errorf("%v, %+v", names, doc)
	}
	modules[info.Deps[0].Path] = "v0.0.1"
	if _, err := bill(modules); err == nil || !strings.Contains(err.Error(), "which is not in the source") {
		t.Errorf("another version: %v", err)
	}
}
