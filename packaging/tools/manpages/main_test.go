package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every document gives a page with a name of one word, as whatis wants it, a title, and no table, which man would draw
// with boxes that are wider than a terminal.
func TestDocuments(t *testing.T) {
	out := t.TempDir()
	if err := pages("../../../docs/commands", out, "0.9.0", "2026-11-23"); err != nil {
		t.Fatal(err)
	}
	documents, _ := filepath.Glob("../../../docs/commands/*.md")
	written, _ := filepath.Glob(filepath.Join(out, "*.1"))
	if len(written) != len(documents)+len(aliases) || len(documents) < 10 {
		t.Fatalf("%d pages of %d documents", len(written), len(documents))
	}
	for _, file := range written {
		name := strings.TrimSuffix(filepath.Base(file), ".1")
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(page)
		if target, ok := strings.CutPrefix(text, ".so man1/"); ok {
			if _, err := os.Stat(filepath.Join(out, strings.TrimSpace(target))); err != nil || aliases[name] == "" {
				t.Errorf("%s leads to %s: %v", name, target, err)
			}
			continue
		}
		for _, want := range []string{
			".TH " + strings.ToUpper(name) + ` 1 "2026-11-23" "nvnodetop 0.9.0" "User Commands"` + "\n",
			".SH NAME\n" + name + ` \- `, ".SH SYNOPSIS\n", ".SH SEE ALSO\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		for _, bad := range []string{"\n.TS", "](", "\n|"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	for text, want := range map[string]string{
		"[`nvnodetop snapshot`](snapshot.md)":          "**nvnodetop-snapshot**(1)",
		"[`list`](list.md), `nvl`":                     "**nvnodetop-list**(1), `nvl`",
		"[marks](mark.md#names)":                       "marks (**nvnodetop-mark**(1))",
		"[TRANSPORTS.md](../TRANSPORTS.md)":            "TRANSPORTS.md",
		"[colors](../USAGE.md#colors)":                 "colors (USAGE.md)",
		"[schema.json](../../internal/x/schema.json)":  "schema.json",
		"[formats](https://prometheus.io/formats/)":    "formats <https://prometheus.io/formats/>",
		"[below](#options)":                            "below",
		"[`nvnodetop`](nvnodetop.md) and [its](a.md).": "**nvnodetop**(1) and its (**nvnodetop-a**(1)).",
	} {
		if got := links(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	const text = "before\n\n| option | |\n|---|---|\n| `-f`, `--format a\\|b` | how |\n| `-n` | many |\n\nbetween\n\n" +
		"| flag | theirs | |\n|---|---|---|\n| `-o` | `--out` | where |\n| `-q` | | quiet |\nafter | all"
	const want = "before\n\n`-f`, `--format a|b`\n: how\n\n`-n`\n: many\n\n\nbetween\n\n" +
		"`-o`\n: where; theirs: `--out`\n\n`-q`\n: quiet\n\nafter | all"
	if got := lists(text); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
