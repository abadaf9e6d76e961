package requests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These lines were recorded: jobs with --gpus=3, with --gpus-per-task=2, without GPUs, and one that runs.
const lines = "10|cpu=1,mem=250G,node=1,billing=1,gres/gpu=3|\n11|cpu=2,mem=250G,node=1,billing=2,gres/gpu=4|\n" +
	"9|cpu=1,mem=250G,node=1,billing=1|\n5|cpu=2,node=2,billing=2,gres/gpu=2,gres/gpu:a100=2|\n"

func TestParse(t *testing.T) {
	got := map[string]int{}
	for number, count := range parse("CLUSTER: c1\n" + lines + "12|N/A|\n\n|\n13|gres/gpu=-1|\n") {
		got[number] = *count
	}
	if diff := cmp.Diff(map[string]int{"10": 3, "11": 4, "5": 2}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
