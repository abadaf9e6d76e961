package slurm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These lines were recorded: jobs with --gpus=3, with --gpus-per-task=2, without GPUs, and one that runs, where the
// site accounts for GPUs; then two of a site that does not.
const lines = "10|cpu=1,mem=250G,node=1,billing=1,gres/gpu=3|gres:gpu:3|N/A|1|\n" +
	"11|cpu=2,mem=250G,node=1,billing=2,gres/gpu=4|N/A|gres:gpu:2|2|\n" +
	"9|cpu=1,mem=250G,node=1,billing=1|N/A|N/A|1|\n" +
	"5|cpu=2,node=2,billing=2,gres/gpu=2,gres/gpu:a100=2|N/A|N/A|2|\n" +
	"3|cpu=2,mem=250G,node=1,billing=2|N/A|gres/gpu=1|2|\n" +
	"6|cpu=1,mem=250G,node=1,billing=1|gres/gpu:3|N/A|1|\n"

func TestParseRequests(t *testing.T) {
	got := map[string]int{}
	for number, count := range parseRequests("CLUSTER: c1\n" + lines +
		"12|N/A|N/A|gres/gpu:1||\n\n|\n13|gres/gpu=-1|N/A|N/A|1|\n") {
		got[number] = *count
	}
	if diff := cmp.Diff(map[string]int{"10": 3, "11": 4, "5": 2, "3": 2, "6": 3}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
