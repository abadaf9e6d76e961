package promises

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// shown are documents of today that match a schema: the newest in full, and a command that prints one.
var shown = map[string]struct {
	full string
	args []string
}{
	"json":      {"../../internal/output/export/testdata/full.json", []string{"--json", "--demo=2x4"}},
	"doctor":    {"", []string{"doctor", "--json"}},
	"report":    {"../../internal/output/report/testdata/report.json", []string{"report", "--format", "json", "1"}},
	"available": {"", []string{"available", "--cluster", "--json"}},
	"track":     {"", []string{"track", "--format", "json", "--", "/bin/true"}},
	"list":      {"", []string{"list", "--json", "--demo=2x4"}},
}

// Every key of a document stays, with its type: its schema of today has all that the kept one has. And a document of
// today matches the kept schema, but for new keys and new words.
func TestSchemas(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		home := t.TempDir()
		for line := range strings.Lines(runs(t, home, "schema").stdout) {
			name := strings.Fields(line)[0]
			updated(t, dir, "schemas/"+name+".json", compact(t, bare(object(t, runs(t, home, "schema", name).stdout)))+"\n")
		}
		paths, err := filepath.Glob(dir + "/schemas/*.json")
		if err != nil || len(paths) < len(shown) {
			t.Fatalf("%d schemas, %v", len(paths), err)
		}
		for _, path := range paths {
			name, before := strings.TrimSuffix(filepath.Base(path), ".json"), read(t, path)
			today := runs(t, home, "schema", name)
			if today.code != 0 {
				t.Errorf("the schema %s of %s is gone: %s", name, dir, today.stderr)
				continue
			}
			for _, broken := range narrowed("", object(t, before), object(t, today.stdout)) {
				t.Errorf("the document %s of %s is broken: %s", name, dir, broken)
			}
			if shown[name].full != "" {
				valid.Document(t, opened(t, before), []byte(read(t, shown[name].full)))
			}
			if shown[name].args != nil {
				valid.Document(t, opened(t, before), []byte(runsWith(t, home, slurm(t), shown[name].args...).stdout))
			}
		}
	})
}

// opened returns a schema that allows new keys and new words.
func opened(t *testing.T, text string) []byte {
	return []byte(compact(t, without(object(t, text), func(key string, v any) bool {
		return key == "enum" || key == "additionalProperties" && v == false
	})))
}

// bare is a schema without the text for people.
func bare(schema any) any {
	return without(schema, func(key string, v any) bool {
		_, text := v.(string)
		return key == "description" && text
	})
}

// without returns a value without some keys of its objects.
func without(v any, out func(key string, v any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		rest := map[string]any{}
		for key, v := range v {
			if !out(key, v) {
				rest[key] = without(v, out)
			}
		}
		return rest
	case []any:
		rest := []any{}
		for _, v := range v {
			rest = append(rest, without(v, out))
		}
		return rest
	}
	return v
}

// narrowed lists what a schema has lost: keys, types, words, and keys that were always there.
func narrowed(at string, before, now any) (lost []string) {
	was, isObject := before.(map[string]any)
	is, _ := now.(map[string]any)
	if !isObject {
		if v, had := before.([]any); had {
			for _, item := range v {
				if list, _ := now.([]any); !slices.Contains(texts(list), fmt.Sprint(item)) {
					lost = append(lost, fmt.Sprintf("%s has lost %v", at, item))
				}
			}
		} else if fmt.Sprint(before) != fmt.Sprint(now) {
			lost = append(lost, fmt.Sprintf("%s was %v and is %v", at, before, now))
		}
		return lost
	}
	for _, key := range slices.Sorted(maps.Keys(was)) {
		switch v, has := is[key]; {
		case slices.Contains([]string{"$id", "$schema", "title", "minimum", "maximum", "maxItems"}, key):
		case !has && key == "additionalProperties":
		case !has:
			lost = append(lost, fmt.Sprintf("%s/%s is gone", at, key))
		default:
			lost = append(lost, narrowed(at+"/"+key, was[key], v)...)
		}
	}
	return lost
}

func texts(list []any) (all []string) {
	for _, v := range list {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// decoded are documents that Go programs read with the types of pkg/. Those without a path are some of printed.
var decoded = []struct {
	name, path string
	into       func() any
}{
	{"snapshot", "../../internal/output/export/testdata/full.json", func() any { return new(schema.Snapshot) }},
	{"report", "../../internal/output/report/testdata/report.json", func() any { return new(report.Report) }},
	{"track", "../../internal/output/track/testdata/documented.json", func() any { return new(report.Command) }},
	{"accounting", "", func() any { return new(report.Report) }},
	{"jobs", "", func() any { return new(report.List) }},
	{"comparison", "", func() any { return new(report.Comparison) }},
}

// The types of pkg/ keep every value of an older document: none gets lost or changes when it is read and written.
func TestDocumentsAreRead(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		for _, d := range decoded {
			name := "documents/" + d.name + ".json"
			if d.path != "" {
				updated(t, dir, name, compact(t, object(t, read(t, d.path)))+"\n")
			}
			into := d.into()
			if err := json.Unmarshal([]byte(kept(t, dir, name)), into); err != nil {
				t.Errorf("%s of %s: %v", d.name, dir, err)
				continue
			}
			again, err := json.Marshal(into)
			if err != nil {
				t.Fatal(err)
			}
			have := values(object(t, string(again)), false)
			for path, was := range values(object(t, kept(t, dir, name)), false) {
				if is, found := have[path]; is != was && (found || !empty(was)) {
					t.Errorf("%s of %s: %s was %s, and is read as %q", d.name, dir, path, was, is)
				}
			}
		}
	})
}

// empty reports whether a value may be left out.
func empty(v string) bool {
	return slices.Contains([]string{"number 0", "null <nil>", "bool false", "string "}, v)
}

// printed are documents in forms of their own: the commands that print them, and how these are run.
var printed = []struct {
	name string
	run  func(t *testing.T, args ...string) string
	args []string
}{
	{"doctor", alone, []string{"doctor", "--json"}},
	{"list", alone, []string{"list", "--json", "--demo=2x2"}},
	{"gpustat", alone, []string{"list", "--json=gpustat", "--demo=2x2"}},
	{"stacks", alone, []string{"stacks", "--json", "--demo=2x4,hang", "48211"}},
	{"command", alone, []string{"track", "--format", "json", "--", "/bin/true"}},
	{"available", withSLURM, []string{"available", "--cluster", "--json"}},
	{"accounting", withSLURM, []string{"report", "--format", "json", "1"}},
	{"jobs", withSLURM, []string{"report", "--format", "json", "--days", "3"}},
	{"comparison", withSLURM, []string{"report", "--format", "json", "10", "9"}},
	{"recorded", alone, []string{"report", "--format", "json", "--from", newest + "/demo.nvr", "48211"}},
	{"scalars", first, []string{"scalars", "--jsonl", "-", "--interval", "1", "--demo=1x1"}},
}

func alone(t *testing.T, args ...string) string { return runs(t, t.TempDir(), args...).stdout }

func withSLURM(t *testing.T, args ...string) string {
	return runsWith(t, t.TempDir(), slurm(t), args...).stdout
}

// A command prints every key that it has printed, with values of the same type.
func TestDocumentsArePrinted(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		for _, p := range printed {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel() // stacks takes 5 s, to see who moves
				name := "documents/" + p.name + ".json"
				doc := object(t, p.run(t, p.args...))
				have := values(doc, true)
				updated(t, dir, name, compact(t, doc)+"\n")
				for path, was := range values(object(t, kept(t, dir, name)), true) {
					if is, found := have[path]; !found {
						t.Errorf("%s has printed %s, which is gone", dir, path)
					} else if is != was && was != "null" {
						t.Errorf("%s has printed %s as %s, and it is a %s", dir, path, was, is)
					}
				}
			})
		}
	})
}

// values are the values of a document by their paths: with their types; or as the shape of the document, in which all
// elements of a list are one, only their types.
func values(v any, shape bool) map[string]string {
	all := map[string]string{}
	var add func(path string, v any)
	add = func(path string, v any) {
		kind := "null"
		switch v := v.(type) {
		case map[string]any:
			for key, v := range v {
				add(path+"."+key, v)
			}
			return
		case []any:
			for i, v := range v {
				if shape {
					add(path+"[]", v)
				} else {
					add(fmt.Sprintf("%s[%d]", path, i), v)
				}
			}
			return
		case float64:
			kind = "number"
		case bool:
			kind = "bool"
		case string:
			kind = "string"
		}
		if !shape {
			kind += " " + fmt.Sprint(v)
		} else if before := all[path]; before != "" && kind == "null" {
			kind = before
		}
		all[path] = kind
	}
	add("", v)
	return all
}

func object(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// compact is a value as JSON, in few bytes, with a line for each element of the outermost object or list.
func compact(t *testing.T, v any) string {
	t.Helper()
	line := func(v any) string {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(b.String())
	}
	var lines []string
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, line(key)+": "+line(v[key]))
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n}"
	case []any:
		for _, v := range v {
			lines = append(lines, line(v))
		}
		return "[\n" + strings.Join(lines, ",\n") + "\n]"
	}
	return line(v)
}
