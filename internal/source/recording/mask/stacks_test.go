package mask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// What ranks do names the user's program: only numbers stay.
func TestStacksHaveNoNames(t *testing.T) {
	const secret = "secret"
	d := &schema.Stacks{Job: "48211", State: schema.StacksStuck, Headline: secret, Said: []string{secret}, Asked: 2, Read: 1,
		NCCL: &schema.StackNCCL{Said: []string{secret}},
		Groups: []schema.StackGroup{{Summary: secret, Members: secret, Collective: secret, Outlier: true,
			Ranks:   []schema.StackRank{{Rank: new(3), Node: secret, PID: 7}},
			Frames:  []schema.StackFrame{{Function: secret, File: secret}},
			Threads: []schema.StackThread{{Name: secret, Summary: secret}},
			Workers: []schema.StackWorker{{Node: secret, File: secret}}}},
		Refused: []schema.StackRefusal{{ID: secret, Cause: secret, Hint: secret, Members: secret, Count: 1},
			{ID: "ptrace", Cause: secret, Count: 2}}}
	masked := New().Event(cluster.Event{Stacks: d})
	text, err := json.Marshal(masked)
	if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), "48211") {
		t.Errorf("%v, %s", err, text)
	}
	if got := masked.Stacks; got.State != schema.StacksStuck || !got.Groups[0].Outlier ||
		*got.Groups[0].Ranks[0].Rank != 3 ||
		got.Refused[1].ID != "ptrace" || d.Groups[0].Summary != secret {
		t.Errorf("%+v", got)
	}
}
