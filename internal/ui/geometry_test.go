package ui

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var plainTheme = uitest.PlainTheme

func allShots() []shot {
	return append(slices.Clone(shots),
		shot{name: "gpu-gone", snap: uitest.Fixture,
			view: func(v *view) { v.on = keys.OnGPU; v.gpu().Arrive(nil, nav.Go{Node: "gpu-n01", GPU: "GPU-gone"}) }},
	)
}

// swept are the shots that the tests of their pages draw at all sizes, too.
var swept = []string{"node", "overview", "gpu", "gpu-gone", "connection", "problems", "ranks", "jobs", "users", "cluster",
	"nojobs", "stacks", "log", "processes-node", "environ", "details"}

func TestSweep(t *testing.T) {
	raced.Skip(t)
	uitest.Sweep(t, picturesOf(slices.DeleteFunc(allShots(), func(s shot) bool { return slices.Contains(swept, s.name) })))
}

func TestPicturesOfPages(t *testing.T) {
	raced.Skip(t)
	uitest.Check(t, picturesOf(allShots()))
}

// Numbers stay in their columns: two clusters with other values have the same ends of columns.
func TestPositionsDoNotDependOnValues(t *testing.T) {
	t.Parallel()
	of := func(v uitest.Values) func() *cluster.Snapshot {
		snap := uitest.Fixture()
		n := snap.Nodes["gpu-n02"]
		for i := range n.GPUs {
			uitest.Set(n.GPUs[i].GPU, v)
			uitest.SetUtil(&n.GPUs[i], nil)
		}
		return func() *cluster.Snapshot { return snap }
	}
	choose := func(v *view) { v.chooseNode("gpu-n02", 1) }
	small := shot{name: "small", snap: of(uitest.Values{"util": 0, "used": 0, "power": 0, "temp": 0, "sm": 0, "bandwidth": 0}),
		view: choose}
	large := shot{name: "large", snap: of(uitest.Values{"util": 100, "used": 81559, "power": 1000, "temp": 100,
		"bandwidth": 100, "limit": 1200}), view: choose}
	for w := 20; w <= 250; w++ {
		a, b := linesOf(small, w, 40), linesOf(large, w, 40)
		for y := 6; y < 14; y++ {
			if !slices.Equal(ends(a[y]), ends(b[y])) {
				t.Fatalf("%d wide: the columns of GPU %d end elsewhere:\n%s\n%s", w, y-6, a[y], b[y])
			}
		}
	}
}

// ends are the columns behind which a line has a blank, or ends.
func ends(line string) []int {
	var at []int
	runes := append([]rune(line), ' ')
	for x := range runes[1:] {
		if runes[x] != ' ' && runes[x+1] == ' ' {
			at = append(at, x)
		}
	}
	return at
}
