package mask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// What ranks do names the user's program: only numbers stay.
func TestStacksHaveNoNames(t *testing.T) {
	const secret = "secret"
	d := &rankstacks.Verdict{Job: "48211", State: rankstacks.Stuck, Headline: secret, Said: []string{secret}, Asked: 2, Read: 1,
		NCCL: &rankstacks.NCCL{Said: []string{secret}},
		Groups: []rankstacks.Group{{Summary: secret, Members: secret, Collective: secret, Outlier: true,
			Ranks:   []rankstacks.Rank{{Rank: new(3), Node: secret, PID: 7}},
			Frames:  []rankstacks.Frame{{Function: secret, File: secret}},
			Threads: []rankstacks.Thread{{Name: secret, Summary: secret}},
			Workers: []rankstacks.Worker{{Node: secret, File: secret}}}},
		Refused: []rankstacks.Refusal{{ID: secret, Cause: secret, Hint: secret, Members: secret, Count: 1},
			{ID: "ptrace", Cause: secret, Count: 2}}}
	masked := New().Event(cluster.Event{Stacks: d})
	text, err := json.Marshal(masked)
	if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), "48211") {
		t.Errorf("%v, %s", err, text)
	}
	if got := masked.Stacks; got.State != rankstacks.Stuck || !got.Groups[0].Outlier ||
		*got.Groups[0].Ranks[0].Rank != 3 ||
		got.Refused[1].ID != "ptrace" || d.Groups[0].Summary != secret {
		t.Errorf("%+v", got)
	}
}
