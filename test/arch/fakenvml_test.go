package arch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// notEverything are metrics that only TestRealReadings (internal/probe) has: GPM, retired pages, rates, times, and
// bits, which are lists in the document.
var notEverything = regexp.MustCompile(`_active_percent$|^sm_occupancy|^retired_pages_|_per_second$|_seconds$|` +
	`^energy_joules$|^nvlink_up$|^throttle_reasons$`)

// The cluster's TestReadings has a number for each metric of a GPU, and the scenario's page a row for each number. The
// cluster is not needed to see that one is missing.
func TestTheFakeNVMLHasAll(t *testing.T) {
	everything, page, header := part(t, "../cluster/readings_test.go", "var everything", "\n}\n"),
		part(t, "../../scripts/fakenvml/README.md", "## The scenario", "## Counters"),
		part(t, "../../scripts/fakenvml/fakenvml.h", "#define NUMBERS", "struct numbers")
	for id := range metric.All(metric.GPU) {
		if key := id.String(); strings.Contains(everything, `"`+key+`"`) == notEverything.MatchString(key) {
			t.Errorf("%s: everything (test/cluster/readings_test.go) has it, or notEverything here, not both", key)
		}
	}
	numbers := regexp.MustCompile(`X\((\w+),`).FindAllStringSubmatch(header, -1)
	for _, m := range numbers {
		key := m[1] + "|" + strings.TrimSuffix(m[1], "_max") // some rows say "the same with _max"
		if !regexp.MustCompile("(?m)^\\|.*`(" + key + ")( [^`]*)?`").MatchString(page) {
			t.Errorf("%s of NUMBERS (fakenvml.h) has no row in scripts/fakenvml/README.md", m[1])
		}
	}
	if len(numbers) < 50 || slices.Contains([]string{everything, page}, "") {
		t.Errorf("%d numbers, %d bytes of everything, %d of the page", len(numbers), len(everything), len(page))
	}
}

// part returns the text of a file between two others.
func part(t *testing.T, path, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), from)
	rest, _, _ = strings.Cut(rest, to)
	return rest
}
