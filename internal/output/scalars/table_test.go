package scalars

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// sample is a sample of a GPU with a utilization.
func sample(sec float64, job, tag, node string, util float64) Sample {
	values := make([]float64, len(Names))
	for i := range values {
		values[i] = math.NaN()
	}
	values[0] = util
	return Sample{At: at(sec), Elapsed: int64(sec), Job: job, Tag: tag, Node: node, GPU: "0", UUID: "GPU-0",
		Values: values}
}

func open(t *testing.T, path string, form Form) *Table {
	t.Helper()
	table, err := Open(path, form)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	return table
}

func put(t *testing.T, out Output, samples ...Sample) {
	t.Helper()
	if err := out.Write(samples); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	table := open(t, path, CSV)
	with := sample(1.2345, "16", "rank3", "a", 97)
	with.Rank, with.Values[1] = new(3), 100.0/3
	put(t, table, with, sample(2, "16", Whole, "", 50), sample(2, "=1+1", "evil", "\"a\",\n@b", math.NaN()))
	lines, err := csv.NewReader(strings.NewReader(read(t, path))).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Fatalf("%v in %d lines", err, len(lines))
	}
	for i, want := range [][]string{
		{"time", "elapsed_seconds", "job", "rank", "node", "gpu", "uuid", "util_percent", "mem_util_percent"},
		{"2026-11-20T18:00:01.234Z", "1", "16", "3", "a", "0", "GPU-0", "97", "33.333"},
		{"2026-11-20T18:00:02.000Z", "2", "'=1+1", "", "\"a\",\n@b", "0", "GPU-0", "", ""},
	} {
		if got := strings.Join(lines[i][:len(want)], "|"); got != strings.Join(want, "|") || len(lines[i]) != 7+
			len(Names)+1 {
			t.Errorf("line %d: %s, want %s", i, got, want)
		}
	}
}

func TestJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	with := sample(1.2345, "16", "rank3", "a", 97)
	with.Rank = new(0)
	put(t, open(t, path, JSONLines), with, sample(2, "16", Whole, "", 50),
		sample(2, "", "evil", "\"a\"\n\xff", math.NaN()))
	lines := strings.SplitAfter(read(t, path), "\n")
	if len(lines) != 3 || lines[0] != `{"time":"2026-11-20T18:00:01.234Z","elapsed_seconds":1,"rank":0,"job":"16","node":"a","gpu":"0","uuid":"GPU-0","util_percent":97}`+"\n" {
		t.Fatalf("%q", lines)
	}
	var o map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &o); err != nil || len(o) != 5 || o["node"] != "\"a\"\n\ufffd" ||
		!utf8.ValidString(lines[1]) {
		t.Errorf("%v in %q", err, lines[1])
	}
}

// A file of ours is continued, without the partial line of a killed run. Any other file is refused, and stays as it is.
func TestAppend(t *testing.T) {
	row := func(form Form, sec float64) string {
		s := []Sample{sample(sec, "16", "x", "a", 1)}
		return string(form.lines(nil, s))
	}
	for name, form := range map[string]Form{"CSV": CSV, "JSON lines": JSONLines} {
		head := ""
		if form.head != "" {
			head = form.head + "\n"
		}
		for _, test := range []struct{ before, after, wrong string }{
			{"", head, ""},
			{head + row(form, 1), head + row(form, 1), ""},
			{head + row(form, 1) + row(form, 2)[:40], head + row(form, 1), ""},
			{head + strings.Repeat(row(form, 1), 2000), head + strings.Repeat(row(form, 1), 2000), ""},
			{"time,loss\n1,2\n", "", "has other columns"},
			{"no newline", "", "has other columns"},
			{"\n", "", "has other columns"},
			{head + row(form, 1) + strings.Repeat("x", longestLine), "", "too long"},
		} {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, []byte(test.before), 0o600); err != nil {
				t.Fatal(err)
			}
			table, err := Open(path, form)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) ||
					!strings.Contains(err.Error(), strconv.Quote(path)) || read(t, path) != test.before {
					t.Errorf("%s behind %.20q: %v", name, test.before, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			put(t, table, sample(9, "16", "x", "a", 1))
			if got := read(t, path); got != test.after+row(form, 9) {
				t.Errorf("%s behind %.90q: %.200q", name, test.before, got)
			}
			if _, err := Open(path, form); err == nil ||
				!strings.Contains(err.Error(), "is being written by another program") {
				t.Errorf("two write to %s: %v", name, err)
			}
			_ = table.Close()
			open(t, path, form)
		}
	}
}

func TestNotAFile(t *testing.T) {
	for _, path := range []string{"/dev/null", t.TempDir(), "/nowhere/x"} {
		if table, err := Open(path, CSV); err == nil {
			_ = table.Close()
			t.Errorf("%s is a table", path)
		}
	}
}
