package ui

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	words "github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// demoSnapshot is what the demo shows after so long.
func demoSnapshot(t *testing.T, nodes, gpus int, after time.Duration) (snap *cluster.Snapshot) {
	synctest.Test(t, func(t *testing.T) {
		store := store.New(3*time.Second, words.Rules(words.Defaults()))
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		if err := demo.New(nodes, gpus, 48211, 3*time.Second, 10*time.Minute).Run(ctx, store.Apply); err != nil {
			t.Fatal(err)
		}
		snap = store.Snapshot(time.Now())
	})
	return snap
}

// The graph of the power of a GPU that is lost keeps its scale.
func TestALostGPUKeepsItsScale(t *testing.T) {
	snap := demoSnapshot(t, 4, 8, time.Millisecond)
	the := func() *cluster.Snapshot { return snap }
	text := strings.Join(linesOf(shot{snap: the, view: showGPU("gpu-n03", 2, the, 2)}, 120, 40), "\n")
	for _, want := range []string{"✗ GPU is lost", "Power W of 700 ", " 700┊"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page of the lost GPU has no %q:\n%s", want, text)
		}
	}
}

// The first frame of the demo names its slow GPU: in row 1, in its own row, in the overview and among the problems,
// with rank and PID.
func TestTheDemoNamesItsSlowGPU(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, nodes := range []int{1, 2, 8, 64} {
		lag := func(f cluster.Finding) bool { return f.Kind == cluster.KindLag && f.Holds() && f.GPU == 3 }
		if !slices.ContainsFunc(demoSnapshot(t, nodes, 8, time.Millisecond).Jobs[0].Findings, lag) {
			t.Errorf("it is not named among %d nodes", nodes)
		}
	}
	snap := demoSnapshot(t, 4, 8, time.Millisecond)
	the := func() *cluster.Snapshot { return snap }
	node := shot{name: "node", snap: the, view: func(v *view) {
		v.on, v.node().Processes = keys.OnNode,
			node.ShowOn
		v.chooseNode("gpu-n02", 1)
	}}
	overview := shot{name: "overview", snap: the, view: func(v *view) { v.on = keys.OnOverview }}
	problems := shot{name: "problems", snap: the, view: func(v *view) { v.on = keys.OnProblems }}
	for _, test := range []struct {
		of   shot
		w    int
		line string // one line matches
	}{
		{overview, 200, `gpu-n02 GPU3 lags 2\d/9\d%`},
		{overview, 200, `^ ▲ gpu-n02 .* 2\dL `},
		{node, 200, `^ ▲  3 .* 2\d% .*!LAG -[67]\d 1m$`},
		{problems, 300, `gpu-n02 GPU3 +Lags \(rank 11, PID \d+\): 2\d% against a median of 9\d%, a higher clock than the others \(1\d+ against 1\d+ MHz\), its process uses 12% of`},
	} {
		lines := linesOf(test.of, test.w, 60)
		if !slices.ContainsFunc(lines, regexp.MustCompile(test.line).MatchString) {
			t.Errorf("%s: no line matches %s:\n%s", test.of.name, test.line, strings.Join(lines, "\n"))
		}
	}
	if row := linesOf(overview, 120, 40)[1]; !strings.Contains(row, "gpu-n02 GPU3 lags 2") {
		t.Errorf("row 1 in 120 columns: %s", row)
	}
	amber := regexp.MustCompile(`38;2;242;182;50m[^m]*2\d%`)
	if frame := string(darkTheme.Encode(nil, node.take(200, 60))); !amber.MatchString(frame) {
		t.Error("the utilization of the slow GPU is not amber")
	}
}
