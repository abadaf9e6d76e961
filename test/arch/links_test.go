package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notInName  = regexp.MustCompile(`[^\p{L}\p{N} _-]+`)
)

// A link in a document leads to a file that exists, and to one of its headings.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, page := range documents(t) {
		for _, m := range linkTarget.FindAllStringSubmatch(text(t, page), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			links++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat("../../" + path); err != nil {
				t.Errorf("%s leads to %s: %v", page, m[1], err)
			} else if fragment != "" && !headings(t, path)[fragment] {
				t.Errorf("%s leads to %s, and that page has no such heading", page, m[1])
			}
		}
	}
	if links < 200 {
		t.Errorf("only %d links", links)
	}
}

// documents are the documents for users, admins and contributors.
func documents(t *testing.T) (pages []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "packaging/*.md", "docs/*.md",
		"docs/commands/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no page in %s, %v", pattern, err)
		}
		for _, path := range found {
			pages = append(pages, strings.TrimPrefix(path, "../../"))
		}
	}
	return pages
}

// headings are the names by which links lead to the headings of a page, as GitHub makes them.
func headings(t *testing.T, path string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text(t, path), -1) {
		names[strings.ReplaceAll(notInName.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}

// A task of docs/HOWTO.md is answered in three lines.
func TestTasksAreShort(t *testing.T) {
	tasks := strings.Split(text(t, "docs/HOWTO.md"), "\n## ")[1:]
	for _, task := range tasks {
		title, answer, _ := strings.Cut(task, "\n")
		lines := strings.Split(strings.TrimSpace(answer), "\n")
		if len(lines) > 3 || len(answer) > 360 {
			t.Errorf("%q has %d lines with %d characters", title, len(lines), len(answer))
		}
	}
	if len(tasks) < 20 {
		t.Errorf("only %d tasks", len(tasks))
	}
}

// docs/README.md leads to every document.
func TestEveryDocumentIsListed(t *testing.T) {
	list := text(t, "docs/README.md")
	for _, page := range documents(t) {
		if name, is := strings.CutPrefix(page, "docs/"); is && name != "README.md" && !strings.Contains(list, "]("+name) {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}
