package ui

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// On lists whose rows have nodes the keys of the nodes lead to the first row of the next node, in the order of the job,
// however the rows are sorted; in the processes of one node to those of the next.
func TestNodeKeysOnLists(t *testing.T) {
	for _, test := range []struct {
		page keys.Page
		keys []string
		want []string // the selected node after each "."
	}{
		{keys.OnRanks, []string{"6", "home"}, []string{"gpu-n02", "gpu-n03", "gpu-n01"}},
		{keys.OnRanks, []string{"6", "home", "i"}, []string{"gpu-n01", "gpu-n02", "gpu-n03"}},
		{keys.OnProblems, []string{"7", "home", "down"}, []string{"gpu-n03", "gpu-n04", "gpu-n01"}},
		{keys.OnProcesses, []string{"2", "home", "5", "home"}, []string{"gpu-n02", "gpu-n03", "gpu-n01"}},
		{keys.OnProcesses, []string{"2", "home", "3", "5"}, []string{"gpu-n02", "gpu-n03", "gpu-n04", "gpu-n01"}},
	} {
		r := newRig(t, uitest.RanksFixture())
		r.press(test.keys...)
		var got []string
		for range test.want {
			r.press(".")
			got = append(got, r.scene.Node.Name)
		}
		if !slices.Equal(got, test.want) || r.view.on != test.page {
			t.Errorf("%s after %v: . leads to %v, want %v", r.view.on, test.keys, got, test.want)
		}
		for i := len(test.want) - 2; i >= 0; i-- {
			if r.press(","); r.scene.Node.Name != test.want[i] {
				t.Errorf("%s after %v: , leads back to %s, want %s", r.view.on, test.keys, r.scene.Node.Name, test.want[i])
			}
		}
	}
}
