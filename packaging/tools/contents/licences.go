package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// known are the licences that a program under MIT may contain if it has their texts. Another one is a decision: it is
// read first, and has a line here then.
var known = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// enough is the part of a file, in percent, that must be the words of known licences.
const enough = 75

var (
	legal = regexp.MustCompile(`^(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|PATENTS)`)
	grant = regexp.MustCompile(`^(LICEN[CS]E|COPYING)`) // the others add to it
)

// text is a file with a licence or a notice.
type text struct {
	file string   // relative to the module
	ids  []string // of the licences in it
	body string
}

// texts reads the licences and notices of a module in dir, but not those of other modules below. A module without a
// licence, or with an unknown one, is an error.
func texts(dir, name string, vendored map[string]module) (list []text, err error) {
	granted := false
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(dir, file)
		if entry.IsDir() {
			_, other := vendored[filepath.Join(name, below)]
			if below != "." && (other || vendored == nil) { // of the source itself only what lies at its root
				return filepath.SkipDir
			}
			return nil
		}
		if !legal.MatchString(entry.Name()) || strings.HasSuffix(file, ".go") {
			return nil
		}
		t, err := readText(file, name)
		t.file = below
		list = append(list, t)
		granted = granted || grant.MatchString(entry.Name())
		return err
	})
	if err == nil && !granted {
		err = fmt.Errorf("%s has no licence", name)
	}
	return list, err
}

// readText reads a licence or a notice.
func readText(file, name string) (text, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return text{}, err
	}
	t := text{body: string(body)}
	if !grant.MatchString(filepath.Base(file)) {
		return t, nil
	}
	found := licensecheck.Scan(body)
	for _, match := range found.Match {
		if !slices.Contains(known, match.ID) {
			return t, fmt.Errorf("%s: licence %s of %s is not one of %s", name, match.ID, filepath.Base(file),
				strings.Join(known, ", "))
		}
		t.ids = append(t.ids, match.ID)
	}
	if found.Percent < enough {
		return t, fmt.Errorf("%s: %.0f %% of %s is an unknown licence", name, 100-found.Percent, filepath.Base(file))
	}
	return t, nil
}

// goLicences reads the licence of Go, whose library is a part of each program.
func goLicences() (module, error) {
	root := runtime.GOROOT() //nolint:staticcheck // built and run by the same Go, see scripts/release
	m := module{path: "Go", version: runtime.Version()}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		t, err := readText(filepath.Join(root, name), "Go")
		if err != nil {
			return m, err
		}
		t.file = name
		m.texts = append(m.texts, t)
	}
	return m, nil
}

const (
	thick = "================================================================================"
	thin  = "--------------------------------------------------------------------------------"
)

// licences writes a table of the modules with their licences, and all texts.
func (r *release) licences(w io.Writer, name string) error {
	all := r.modules
	if len(r.programs) > 0 {
		library, err := goLicences()
		if err != nil {
			return err
		}
		all = append([]module{library}, all...)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s contains software of others under these licences.\n\n", name)
	for _, m := range all {
		fmt.Fprintf(out, "%-50s %-42s %s\n", m.path, m.version, strings.Join(m.ids(), ", "))
	}
	if len(r.programs) > 1 {
		fmt.Fprintf(out, "\n%s contains these programs:\n\n", r.programs[0].name)
		for _, p := range r.programs[1:] {
			fmt.Fprintf(out, "%s, with %s\n", p.name, strings.Join(append([]string{"Go"}, p.modules...), ", "))
		}
	}
	for _, m := range all {
		fmt.Fprintf(out, "\n%s\n%s %s\n", thick, m.path, m.version)
		for _, t := range m.texts {
			fmt.Fprintf(out, "%s\n%s\n\n%s\n", thin, t.file, strings.TrimSpace(t.body))
		}
	}
	return out.Flush()
}
