package inspect

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// places among charts
const chartSM, chartRSS = 0, 3

// opened is the metrics after lists at these seconds.
func opened(t *testing.T, seconds ...int) (*Metrics, *part.Scene) {
	t.Helper()
	m, a := NewMetrics(target())
	if len(a.Ask) != 1 || a.Ask[0].Node != "n1" || *a.Ask[0].Request.Process != id {
		t.Fatalf("asks %+v", a)
	}
	s := scene(120, 40, noon)
	for _, at := range seconds {
		s = scene(120, 40, noon.Add(time.Duration(at)*time.Second))
		m.Settle(s)
		m.Settle(s)
	}
	return m, s
}

// A process on several GPUs is summed up, and the numbers name their GPUs.
func TestMetrics(t *testing.T) {
	m, s := opened(t, 0, 3, 6)
	m.Press(nav.Result{Ask: nav.Ask{Node: "n1", Request: wire.Request{Process: &id}},
		Reply: wire.Reply{Process: &wire.Details{Executable: "/usr/bin/python\x1b[2J",
			Arguments: []string{"python", "train.py", "--all"}, Parent: 70, State: "R", Threads: 12}}}, s)
	text := drawn(s, m)
	for _, want := range []string{
		"Process n1:77  rank 3  alice", "python train.py --all", "/usr/bin/python", "/home/alice", "parent     70",
		"running (R)", "threads    12", "2026-03-14 11:00:00", "1:00:00",
		"12_4, step 0", "0 (90%), 1 (90%)", "SM %, mean of 2 GPUs", "70%", "GPU memory GiB of 160, 2 GPUs", "21.0 GiB",
		"101%", "4.0 GiB", "Last 2 min",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || m.longFacts()[1].text != "/usr/bin/python" {
		t.Errorf("an escape sequence is drawn: %q", text)
	}
	if strings.Contains(text, "Memory read/write time") { // which the driver does not give
		t.Errorf("there is a graph of nothing:\n%s", text)
	}
	if got := m.past.chartSamples(chartSM)(4); got[0] == got[0] || !slices.Equal(got[1:], []float32{70, 70, 70}) {
		t.Errorf("the past is %v", got)
	}
}

// A process that is not listed any more has exited, and its last values stay.
func TestExited(t *testing.T) {
	m, _ := opened(t, 0, 3)
	s := scene(120, 40, noon.Add(6*time.Second))
	for i := range s.Snap.Nodes["n1"].Processes {
		s.Snap.Nodes["n1"].Processes[i].StartTicks++ // another process has the PID
	}
	m.Settle(s)
	m.Press(nav.Result{Ask: nav.Ask{Node: "n1", Request: wire.Request{Process: &id}},
		Reply: wire.Reply{Error: "process 77 has exited"}}, s)
	s.Snap.At = s.Snap.At.Add(9 * time.Second)
	if text := drawn(s, m); !strings.Contains(text, "has exited, last seen 9s ago") || !strings.Contains(text, "70%") ||
		strings.Contains(text, "running (R)") || strings.Contains(text, "No more is known") {
		t.Errorf("shown is\n%s", text)
	}
	m.Settle(scene(120, 40, noon.Add(9*time.Second)))
	if m.hasExited() { // a list may have been too long
		t.Error("it is listed again, and has exited")
	}
}

// A process that is on no GPU is not measured, and a node that is silent has old values.
func TestNotMeasured(t *testing.T) {
	m, s := opened(t)
	if text := drawn(s, m); !strings.Contains(text, "waiting for the list") {
		t.Errorf("shown is\n%s", text)
	}
	s = scene(120, 40, noon)
	s.Snap.Nodes["n1"].Processes = nil
	m.Settle(s)
	m.Press(nav.Result{Ask: nav.Ask{Node: "n1", Request: wire.Request{Process: &id}},
		Reply: wire.Reply{Error: "no\x1bway"}}, s)
	if text := drawn(s, m); !strings.Contains(text, "on no GPU") ||
		!strings.Contains(text, "Nothing else is known about it: no") || strings.Contains(text, "\x1b") {
		t.Errorf("shown is\n%s", text)
	}
	m, s = opened(t, 0)
	s.Node.State = cluster.NodeStale
	if text := drawn(s, m); !strings.Contains(text, "node not responding") {
		t.Errorf("shown is\n%s", text)
	}
}

// Only the keys that close it are the page's own: the others are the page's below.
func TestMetricsKeys(t *testing.T) {
	m, s := opened(t, 0)
	for _, k := range []string{"e", "y", "T", "K", "?", "down"} {
		if a, open := m.Press(press(k), s); a.Taken || !open {
			t.Errorf("%s is taken", k)
		}
	}
	for _, k := range []string{"esc", "q", "enter"} {
		if a, open := m.Press(press(k), s); !a.Taken || open {
			t.Errorf("%s does not close it", k)
		}
	}
}

// A sample stands for the time since the last one, a silence is a gap, and a clock that is set back begins anew.
func TestPast(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(9000+seconds), 0) }
	value := func(v float64) []float64 { return slices.Repeat([]float64{v}, len(charts)) }
	for _, test := range []struct {
		seconds []int // a sample's value is its place
		want    string
	}{
		{[]int{0, 3, 6}, "0 1 2"}, {[]int{0, 1, 3}, "1 2"}, {[]int{0, 9}, "0 1 1 1"}, {[]int{0, 12}, "0 – – – 1"},
		{[]int{0, 30, 33}, "0 – – – – – – – – – 1 2"}, {[]int{27, 30, 0, 3}, "2 3"},
	} {
		var p processPast
		for i, second := range test.seconds {
			p.addSample(3*time.Second, 3*time.Second, at(second), value(float64(i)))
		}
		var got []string
		for _, v := range p.bins[chartRSS] {
			if v != v {
				got = append(got, "–")
			} else {
				got = append(got, string(rune('0'+int(v))))
			}
		}
		if strings.Join(got, " ") != test.want || p.newest != at(test.seconds[len(test.seconds)-1]).Unix()/3 {
			t.Errorf("%v: %v up to %d, want %s", test.seconds, got, p.newest, test.want)
		}
	}
	var p processPast
	for i := range 5000 {
		p.addSample(time.Second, time.Second, at(i), value(1))
	}
	p.addSample(time.Second, time.Second, at(1<<30), value(1))
	if n := len(p.bins[0]); n != 601 || p.hasValue(chartSM) == false || p.newest-p.oldestBin() != 600 {
		t.Errorf("%d bins are kept", n)
	}
	p.addSample(time.Second, time.Second, at(1<<30+1), value(math.NaN()))
	if got := p.chartSamples(chartSM)(2); got[1] == got[1] {
		t.Errorf("what is not known is %v", got)
	}
}

// A process without a rank says why, if that is known.
func TestNoRank(t *testing.T) {
	m, _ := opened(t, 0)
	for at, noRank := range []string{"", wire.NoRankOverwritten} {
		s := scene(120, 40, noon.Add(time.Duration(at+1)*time.Second))
		for i := range s.Snap.Nodes["n1"].Processes {
			s.Snap.Nodes["n1"].Processes[i].NoRank = noRank
		}
		m.Settle(s)
		if got := strings.Contains(drawn(s, m), "rank       not known: the program has overwritten"); got != (noRank != "") {
			t.Errorf("%q: %v in\n%s", noRank, got, drawn(s, m))
		}
	}
}
