package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// generatedPages are the documents that tests write as a whole.
var generatedPages = []string{"docs/health.md", "docs/metrics.md", "docs/KEYS.md", "docs/PACKAGES.md"}

// generatedParts are the parts of the pages of commands that a test makes of the help, and tables at the end of others.
var generatedParts = []*regexp.Regexp{
	regexp.MustCompile(`(?s)\n## DESCRIPTION\n(.*?)\n### `),
	regexp.MustCompile(`(?s)\n## OPTIONS\n(.*?)\n## `),
	regexp.MustCompile("(?s)\n## EXAMPLES\n\n```\n(.*?)```\n"),
	regexp.MustCompile("(?s)\n\\| command \\| \\|\n(.*?)\\| `help` \\|"),
	regexp.MustCompile(`(?s)-update\. -->\n(.*)$`),
}

// isDocument reports whether a file is a document for users, admins or contributors. CHANGELOG.md is not counted.
func isDocument(short string) bool {
	return short == "README.md" || short == "CONTRIBUTING.md" ||
		strings.HasSuffix(short, ".md") && (path.Dir(short) == "docs" || path.Dir(short) == "docs/commands")
}

// writtenWords counts the words of a document that people wrote.
func writtenWords(short, text string) int {
	if slices.Contains(generatedPages, short) {
		return 0
	}
	words := len(strings.Fields(text))
	for _, part := range generatedParts {
		if m := part.FindStringSubmatch(text); m != nil {
			words -= len(strings.Fields(m[1]))
		}
	}
	return words
}
