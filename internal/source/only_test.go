package source

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func TestOnlyOneJob(t *testing.T) {
	jobs := []cluster.Job{{ID: "7", Number: "7"}, {ID: "17", Number: "17"}, {ID: "7_1", Number: "9"},
		{ID: "20+0", Number: "20"}, {ID: "20+1", Number: "21"}, {ID: "70", Number: "70"}}
	for id, want := range map[string][]string{"7": {"7", "7_1"}, "9": {"7_1"}, "7_1": {"7_1"}, "20": {"20+0", "20+1"},
		"21": {"20+1"}, "2": nil, "7_": nil} {
		var got []string
		for _, j := range jobsNamed(id, jobs) {
			got = append(got, j.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
		if left := otherJobs(id, jobs); len(left)+len(got) != len(jobs) {
			t.Errorf("%s: %q and %q, which are not all jobs", id, got, left)
		}
	}
}
