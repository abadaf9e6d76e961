// Command contents says what a release consists of: the modules that are linked into its programs, and their licences.
// It reads the modules from the programs themselves, so from the probes too, which lie compressed inside the others
// where no scanner looks.
//
//	contents licences SOURCE NAME FILE...         the texts of all licences
//	contents cyclonedx SOURCE NAME VERSION FILE... a bill of materials
//
// SOURCE is the source with its vendored modules. NAME is the archive's. FILEs are programs; the first contains the
// others. Without FILEs it is about all modules of the source. SOURCE_DATE_EPOCH is the time of the bill.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "contents:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) < 3 {
		return errors.New("it needs licences SOURCE NAME, or cyclonedx SOURCE NAME VERSION")
	}
	source, name := args[1], args[2]
	switch args[0] {
	case "licences":
		r, err := readRelease(source, args[3:])
		if err != nil {
			return err
		}
		return r.licences(out, name)
	case "cyclonedx":
		if len(args) < 4 {
			return errors.New("cyclonedx needs SOURCE NAME VERSION")
		}
		r, err := readRelease(source, args[4:])
		if err != nil {
			return err
		}
		return r.bill(out, name, args[3], os.Getenv("SOURCE_DATE_EPOCH"))
	default:
		return fmt.Errorf("unknown command %q", args[0])
	}
}

// release is the contents of a release's archive.
type release struct {
	own      module // nvnodetop itself: its version is that of the release
	goes     string // the version of Go, such as "go1.26.8"; "" for source
	programs []program
	modules  []module // all modules of the programs, by path
}

// program is a program, or a probe.
type program struct {
	name, file string   // "nvnodetop linux/amd64"
	modules    []string // their paths
}

// module is a module with its licences.
type module struct {
	path, version, sum string
	texts              []text
}

// ids returns the SPDX identifiers of a module's licences.
func (m module) ids() (ids []string) {
	for _, t := range m.texts {
		ids = append(ids, t.ids...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// readRelease reads the modules of programs, or of the source if there is none, and their licences.
func readRelease(source string, files []string) (*release, error) {
	own, err := texts(source, source, nil)
	if err != nil {
		return nil, err
	}
	r := &release{own: module{path: "github.com/nvnodetop/nvnodetop", texts: own}}
	vendored, err := vendored(source)
	if err != nil {
		return nil, err
	}
	linked := map[string]bool{}
	for _, file := range files {
		p, goes, err := linkedInto(file, vendored)
		if err != nil {
			return nil, err
		}
		r.goes = goes
		r.programs = append(r.programs, p)
		for _, path := range p.modules {
			linked[path] = true
		}
	}
	for path, m := range vendored {
		if len(files) > 0 && !linked[path] {
			continue
		}
		if m.texts, err = texts(filepath.Join(source, "vendor", path), path, vendored); err != nil {
			return nil, err
		}
		r.modules = append(r.modules, m)
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return r, nil
}

// linkedInto returns the modules that are linked into a program. Each must be one of the source, in that version.
func linkedInto(file string, vendored map[string]module) (p program, goes string, err error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return p, "", err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	p = program{name: path.Base(info.Path) + " " + settings["GOOS"] + "/" + settings["GOARCH"], file: file}
	for _, dep := range info.Deps {
		if m, ok := vendored[dep.Path]; !ok || m.version != dep.Version || dep.Replace != nil {
			return p, "", fmt.Errorf("%s has %s %s, which is not in the source", file, dep.Path, dep.Version)
		}
		p.modules = append(p.modules, dep.Path)
	}
	return p, info.GoVersion, nil
}

// vendored returns the vendored modules of the source, by path.
func vendored(source string) (map[string]module, error) {
	list, err := os.ReadFile(filepath.Join(source, "vendor", "modules.txt"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return nil, err
	}
	modules := map[string]module{}
	var m module
	for line := range strings.Lines(string(list)) {
		switch words := strings.Fields(line); {
		case len(words) == 3 && words[0] == "#":
			m = module{path: words[1], version: words[2]}
		case len(words) == 1: // a package: modules without one have no files here
			modules[m.path] = m
		}
	}
	for line := range strings.Lines(string(sums)) {
		words := strings.Fields(line)
		if m, ok := modules[words[0]]; ok && m.version == words[1] {
			m.sum = words[2]
			modules[m.path] = m
		}
	}
	return modules, nil
}
