package header

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The tabs of nodes and GPUs, and the problems of row 1, are targets of the mouse, from their first column to their
// last.
func TestTargets(t *testing.T) {
	f := sceneOf(
		cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "gpu-n01", GPU: 1, Key: "1"},
		cluster.Finding{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
		cluster.Finding{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n02", GPU: 0, Key: "0"},
		cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1, Key: "1"})
	f.W, f.Canvas = 140, draw.New(140, f.H)
	f.SetNode(1)
	Problems(f) // as on a pane
	if _, is := f.Memory.Targets.At(2, 1); is {
		t.Error("a pane has targets")
	}
	Draw(f, true)
	Tabs(f)
	rows := textRows(f)
	at := func(y int, text string) (first, last int) {
		x := columnOf(t, rows[y], text)
		return x, x + draw.Width(text) - 1
	}
	for _, test := range []struct {
		y    int
		text string
		want string
	}{
		{1, "gpu-n01 GPU1 lost", "problem on gpu-n01"}, {1, "2 GPUs with ECC errors", "problems"},
		{1, "gpu-n02 GPU1 thermal", "problem on gpu-n02"}, {2, "gpu-n01", "node gpu-n01"}, {2, "gpu-n02", "node gpu-n02"},
	} {
		first, last := at(test.y, test.text)
		for _, x := range []int{first, last} {
			if got := targetText(f, x, test.y); got != test.want {
				t.Errorf("column %d of %q leads to %q, want %q", x, rows[test.y], got, test.want)
			}
		}
	}
	f.Memory.Targets.Forget()
	gpus := f.GPUs(f.Node)
	for _, g := range gpus {
		g.Card = &wire.Card{}
	}
	GPUTabs(f, gpus, 0)
	rows = textRows(f)
	if first, _ := at(2, "1 ▲"); targetText(f, first, 2) != "GPU 1" {
		t.Errorf("column %d of %q leads to %q", first, rows[2], targetText(f, first, 2))
	}
	if got := targetText(f, 100, 2); got != "" {
		t.Errorf("the rule leads to %q", got)
	}
}

// textRows are the rows of a frame, without styles.
func textRows(f *part.Frame) []string {
	return strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas)), "\n")
}

// columnOf returns the first column of a text.
func columnOf(t *testing.T, row, text string) int {
	t.Helper()
	before, _, is := strings.Cut(row, text)
	if !is {
		t.Fatalf("%q lacks %q", row, text)
	}
	return draw.Width(before)
}

// targetText says what a place leads to.
func targetText(f *part.Frame, x, y int) string {
	to, is := f.Memory.Targets.At(x, y)
	switch {
	case !is:
		return ""
	case to.Node != "":
		return "node " + to.Node
	case to.GPU != nil:
		return "GPU " + strconv.Itoa(to.GPU.Number)
	case to.Problem != nil:
		return "problem on " + to.Problem.Node
	}
	return "problems"
}
