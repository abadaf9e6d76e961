package graph

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A column of the strip is a whole number of bins. All of them are at least ten minutes, and hardly more, in no more
// columns than there are.
func TestStripWidths(t *testing.T) {
	for _, poll := range []time.Duration{250 * time.Millisecond, time.Second, 3 * time.Second, 7 * time.Second,
		time.Minute} {
		for width := -1; width <= 700; width++ {
			f := frame(100, 30)
			f.Snap.Poll = poll
			bin := history.BinWidth(poll, 0)
			s := NewStrip(f, width)
			if s.Width() > max(width, 1) || s.Width() < 1 || s.Span() < 10*time.Minute ||
				s.Span()-spanOf(bin, 0) >= s.Column()+bin {
				t.Errorf("polls of %v, %d columns: %d columns of %v, %v in all", poll, width, s.Width(), s.Column(),
					s.Span())
			}
			if s.Column()%bin != 0 || s.Column()*time.Duration(s.Width()) != s.Span() {
				t.Errorf("polls of %v, %d columns: a column of %v", poll, width, s.Column())
			}
		}
	}
}

func TestStripAxis(t *testing.T) {
	for width, want := range map[int]string{60: "-10m                          -5m                        now",
		30: "-10m                       now"} {
		f := frame(100, 1)
		if NewStrip(f, width).Axis(f, 0, 0); shown(f)[0] != want {
			t.Errorf("%d columns: %q, want %q", width, shown(f)[0], want)
		}
	}
}

// row draws a node in 60 columns of ten bins each, and returns the newest ten columns.
func row(n *cluster.Node, findings ...cluster.Finding) string {
	f := frame(100, 1)
	for i := range findings {
		findings[i].Node = n.Name
	}
	f.Job.Nodes, f.Job.Findings = []string{n.Name}, findings
	NewStrip(f, 60).Row(f, 0, 0, n)
	line := []rune(shown(f)[0])
	for len(line) < 60 {
		line = append(line, ' ')
	}
	return string(line[50:60])
}

func node(util ...float64) *cluster.Node {
	var past []float64
	for _, u := range util {
		for range 10 {
			past = append(past, u)
		}
	}
	g := gpu(nil, metric.Util, append(past, 0)...)
	return &cluster.Node{Name: "n1", State: cluster.NodeReporting, GPUs: []cluster.GPU{*g}}
}

// Heights are utilization; what is not known is blank, unless it is known why.
func TestStripRow(t *testing.T) {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	stale := node(100, 100, gap, gap)
	stale.State, stale.Arrived = cluster.NodeStale, ago(15*time.Second)
	failed := node(100, gap, gap, gap)
	failed.State, failed.Since = cluster.NodeFailed, ago(15*time.Second)
	lost := cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, GPU: 0, Key: "GPU-1"}
	errors := cluster.Finding{Kind: cluster.KindECC, Severity: cluster.Warning, GPU: 0, Key: "GPU-1",
		Since: ago(25 * time.Second)}
	old := errors
	old.Before = true
	for name, test := range map[string]struct {
		node     *cluster.Node
		findings []cluster.Finding
		want     string
	}{
		"heights":        {node(0, 50, 100), nil, "       ▁▄▇"},
		"a gap":          {node(100, gap, 100), nil, "       ▇ ▇"},
		"nothing":        {node(), nil, "          "},
		"stale":          {stale, nil, "      ▇▇░░"},
		"failed":         {failed, nil, "      ▇ ✗✗"},
		"lost since 25s": {node(100, 100, 100, 100), []cluster.Finding{since(lost, ago(25*time.Second))}, "      ▇XXX"},
		"lost in a gap":  {node(100, gap, gap, gap), []cluster.Finding{since(lost, ago(25*time.Second))}, "      ▇XXX"},
		"both": {node(100, 100, 100, 100), []cluster.Finding{errors, since(lost, ago(25*time.Second))},
			"      ▇XXX"},
		"errors":        {node(100, 100, 100, 100), []cluster.Finding{errors}, "      ▇E▇▇"},
		"errors before": {node(100, 100, 100, 100), []cluster.Finding{old}, "      ▇▇▇E"},
		"it was lost": {node(100, 100, 100, 100),
			[]cluster.Finding{over(since(lost, ago(35*time.Second)), ago(15*time.Second))}, "      XXX▇"},
	} {
		if got := row(test.node, test.findings...); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func since(f cluster.Finding, at time.Time) cluster.Finding { f.Since = at; return f }
func over(f cluster.Finding, at time.Time) cluster.Finding  { f.Over = at; return f }
