package promises

import (
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the probe costs: in a release, and after go install, where it is the whole program.
const (
	releaseFile, releaseMemory = "4.8 MB", "10 MiB"
	wholeFile, wholeMemory     = "38 MB", "25 MiB"
)

var (
	ofProbe   = regexp.MustCompile(`(?m)^probe +linux/amd64, ([0-9]+) bytes`)
	inRelease = regexp.MustCompile(`(?m)^LARGEST=([0-9]+) `)
)

// One page tells the size and the memory of the probe, and the others link to it.
func TestPagesAgreeOnTheProbe(t *testing.T) {
	page := read(t, "../../docs/INSTALL.md")
	for _, number := range []string{releaseFile, releaseMemory, wholeFile, wholeMemory} {
		if !strings.Contains(page, number) {
			t.Errorf("docs/INSTALL.md does not say %s of the probe", number)
		}
	}
	for _, path := range []string{"README.md", "docs/ADMINS.md", "docs/SCALE.md"} {
		if text := read(t, "../../"+path); !strings.Contains(text, "INSTALL.md#the-probe)") {
			t.Errorf("%s does not lead to the size of the probe", path)
		}
	}
}

// The sizes in the pages are those of what nodes get. A release has a limit in scripts/build.
func TestSizeOfTheProbe(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), program, "config", "--build").Output()
	if err != nil {
		t.Fatal(err)
	}
	if m := inRelease.FindStringSubmatch(read(t, "../../scripts/build")); !isAbout(m, releaseFile) {
		t.Errorf("scripts/build allows a probe of %v bytes, and the pages say %s", m, releaseFile)
	}
	switch m := ofProbe.FindStringSubmatch(string(out)); {
	case m == nil:
		t.Skipf("this build is no probe for linux/amd64: it needs a C compiler\n%s", out)
	case !isAbout(m, wholeFile):
		t.Errorf("the program is a probe of %s bytes, and the pages say %s", m[1], wholeFile)
	}
}

// isAbout reports whether a number of bytes that was found is within 7% of a size in MB.
func isAbout(found []string, said string) bool {
	if found == nil {
		return false
	}
	size, _ := strconv.ParseFloat(found[1], 64)
	want, _ := strconv.ParseFloat(strings.TrimSuffix(said, " MB"), 64)
	return math.Abs(size/1e6-want) < 0.07*want
}
