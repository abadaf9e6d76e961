package header

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// starvedScene is a scene at 80 columns of a GPU that lags, since its process gets little CPU, and is too hot, and
// of a node that was silent.
func starvedScene() (*part.Frame, []cluster.Finding) {
	lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Node: "gpu-n01", GPU: 1, Key: "1",
		Since: time.Unix(900, 0), Compared: &cluster.Comparison{}}
	lag.Compared.Own[pace.Util], lag.Compared.Median[pace.Util] = 24, 94
	findings := []cluster.Finding{lag,
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 1, Key: "1", Since: time.Unix(900, 0)},
		{Kind: cluster.KindStale, Severity: cluster.Warning, Node: "gpu-n01", GPU: -1, Since: time.Unix(800, 0),
			Over: time.Unix(990, 0)}}
	f := problemSceneOf(findings...)
	f.W, f.H = 80, 24
	f.Canvas = draw.New(f.W, f.H)
	n := f.NodeOf("gpu-n01")
	n.Listed = true
	for gpu, cpu := range []float64{100, 12} {
		n.GPUs[gpu].Card = &wire.Card{Index: gpu}
		p := wire.Process{PID: 100 + gpu, GPU: gpu, Type: "C", CPUPercent: &cpu}
		n.Processes = append(n.Processes, p)
	}
	return f, findings
}

// drawnIn returns the lines that a number of rows has for findings.
func drawnIn(f *part.Frame, rows int, findings []cluster.Finding) []string {
	f.Canvas = draw.New(f.W, f.H)
	DrawSentences(f, 0, rows, findings)
	text := string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines[:rows]
}

// The worst problem is whole, and all problems have a line, before a hint takes a row.
func TestFactsComeBeforeHints(t *testing.T) {
	f, findings := starvedScene()
	facts, hints := FactRows(f, findings[:1])
	for rows := facts; rows < facts+hints+8; rows++ {
		lines := drawnIn(f, rows, findings)
		all := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		if rows > facts && !strings.Contains(all, "waiting on its CPU or data loader.") {
			t.Errorf("%d rows lack the reason:\n%s", rows, strings.Join(lines, "\n"))
		}
		if strings.Contains(all, "→") && (!strings.Contains(all, "Thermal") || strings.Contains(all, "more (")) {
			t.Errorf("%d rows have a hint, and lack a problem:\n%s", rows, strings.Join(lines, "\n"))
		}
	}
	whole := drawnIn(f, 20, findings)
	if hinted := slices.IndexFunc(whole, func(s string) bool { return strings.Contains(s, "→ check") }); hinted < 0 {
		t.Errorf("20 rows have no hint:\n%s", strings.Join(whole, "\n"))
	}
}

// The title of the window, and row 1, have the reason too.
func TestReasonInTitle(t *testing.T) {
	f, findings := starvedScene()
	f.Job.Findings = findings
	const why = "GPU1 lags 24/94%: waiting on its CPU or data loader"
	if got := Window(f.Snap, f.Job); got != "nvnodetop 1 !2 gpu-n01 "+why {
		t.Errorf("the title is %q", got)
	}
	f.W, f.Canvas = 120, draw.New(120, f.H)
	if row := rowOf(f); !strings.HasPrefix(row, "▲ gpu-n01 "+why) {
		t.Errorf("row 1 is %q", row)
	}
}
