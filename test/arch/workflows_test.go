package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// pinned matches an action at a commit, with its version for people.
	pinned = regexp.MustCompile(`uses: [a-z0-9-]+/[a-z0-9-]+@[0-9a-f]{40} # v[0-9.]+$`)
	// readOnly matches the rights of a workflow whose jobs have no others unless they say so.
	readOnly = regexp.MustCompile(`(?m)^permissions:\n  contents: read\n`)
)

// A workflow runs only actions that nobody can exchange, and has no rights by default.
func TestWorkflowsArePinned(t *testing.T) {
	paths, err := filepath.Glob("../../.github/workflows/*")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d workflows, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !readOnly.Match(text) {
			t.Errorf("%s does not begin with the right to read the contents only", path)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: not pinned by commit: %s", path, line)
			}
		}
	}
}

// What users check of a release is what its workflow signs.
func TestTheSignatureCanBeChecked(t *testing.T) {
	const bundle = "--bundle SHA256SUMS.sigstore.json "
	for path, wants := range map[string][]string{
		".github/workflows/release.yml": {"cosign sign-blob --yes " + bundle + "SHA256SUMS", `tags: ["v*"]`,
			"subject-checksums: out/SHA256SUMS"},
		"docs/INSTALL.md": {"cosign verify-blob " + bundle, "/.github/workflows/release.yml@refs/tags/v",
			"gh attestation verify nvnodetop-"},
	} {
		text, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not have %q", path, want)
			}
		}
	}
}

// A report of a fault comes with what finds it: the form asks for it, and a vulnerability is led elsewhere.
func TestFormsAskForTheFacts(t *testing.T) {
	for path, wants := range map[string][]string{
		"bug.yml":    {"nvnodetop --version", "nvnodetop doctor --json", "nvnodetop record --anonymous", "required: true"},
		"config.yml": {"blank_issues_enabled: false", "/security/advisories/new"},
	} {
		text, err := os.ReadFile("../../.github/ISSUE_TEMPLATE/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not have %q", path, want)
			}
		}
	}
}
