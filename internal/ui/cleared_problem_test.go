package ui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// overFixture is a job in which one thing has been wrong until 12 s ago.
func overFixture() *cluster.Snapshot {
	s := uitest.Fixture()
	job := &s.Jobs[0]
	job.Nodes, job.Reporting, job.GPUs = []string{"gpu-n01", "gpu-n02"}, 2, 16
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: uitest.Ago(4 * time.Minute),
			Over:  uitest.Ago(12 * time.Second),
			Times: 3, Node: "gpu-n01", GPU: 5},
	}
	return s
}

const overWords = "Thermal throttling, cleared 12s ago."

// A cleared problem is mentioned in its line, quietly, and nowhere else.
func TestWhatIsOver(t *testing.T) {
	for name, view := range map[string]func(*view){
		"node":     func(v *view) { v.chooseNode("gpu-n01", 0) },
		"overview": func(v *view) { v.on = keys.OnOverview },
	} {
		s := shot{name: name, snap: overFixture, view: view}
		lines := linesOf(s, 120, 40)
		text := strings.Join(lines, "\n")
		if !strings.Contains(lines[1], "1 problem cleared 12s ago") {
			t.Errorf("%s: row 1 is %q", name, lines[1])
		}
		if strings.Count(text, "▲") != 1 || strings.Contains(text, "!THERMAL") || strings.Contains(text, "97T") {
			t.Errorf("%s: it is marked:\n%s", name, text)
		}
		for _, line := range lines {
			for _, want := range []string{"4m", "gpu-n01 GPU5", overWords} {
				if strings.Contains(line, "▲") && !strings.Contains(line, want) {
					t.Errorf("%s: there is no %q in %q", name, want, line)
				}
			}
		}
		colored := string(draw.NewTheme(colorprofile.TrueColor, false, false).Encode(nil, s.take(120, 40)))
		quiet := escapes(t, colored, overWords)
		for _, also := range []string{"▲", "GPU5"} {
			if got := escapes(t, colored, also); got != "" && got != quiet {
				t.Errorf("%s: %q is drawn in %q, the words in %q", name, also, got, quiet)
			}
		}
	}
}

// escapes is the sequence that is in force before text on its line.
func escapes(t *testing.T, screen, text string) string {
	t.Helper()
	for line := range strings.Lines(screen) {
		if at := strings.Index(line, text); at >= 0 && strings.Contains(line, "▲") {
			from := strings.LastIndex(line[:at], "\x1b[")
			return line[from : from+strings.IndexByte(line[from:], 'm')+1]
		}
	}
	t.Fatalf("there is no %q", text)
	return ""
}

func TestWhatIsOverInTheHeatMap(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := uitest.BigFixture()
		s.Jobs[0].Findings = overFixture().Jobs[0].Findings
		s.Jobs[0].Findings[0].Node = "gpu-n001"
		return s
	}
	s := shot{name: "heatmap", snap: snap, view: func(v *view) { v.on = keys.OnOverview }}
	for w, want := range map[int]string{36: "001 GPU5 cleared: thermal thro…\n",
		60: "001 GPU5 thermal throttling, cleared 12s ago\n"} {
		if text := strings.Join(linesOf(s, w, 12), "\n"); !strings.Contains(text, want) {
			t.Errorf("%d wide:\n%s", w, text)
		}
	}
}

// Titles count those that are cleared apart.
func TestClearedIsCountedApart(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := overFixture()
		s.Jobs[0].Findings = append([]cluster.Finding{{Kind: cluster.KindECC, Severity: cluster.Warning,
			Since: uitest.Ago(time.Hour), Node: "gpu-n02", GPU: 3}}, s.Jobs[0].Findings...)
		return s
	}
	for want, view := range map[string]func(*view){
		"1 problem, 1 cleared, worst first": func(v *view) { v.on = keys.OnOverview },
		"1 in this job, 1 cleared: press 7": func(v *view) { v.chooseNode("gpu-n01", 0) },
	} {
		if text := strings.Join(linesOf(shot{snap: snap, view: view}, 120, 40), "\n"); !strings.Contains(text, want) {
			t.Errorf("there is no %q:\n%s", want, text)
		}
	}
}

// The title of the problems counts the sentences below it: GPUs of a node with the same problem share one.
func TestTitleCountsSentences(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := uitest.Fixture()
		s.Jobs[0].Findings = nil
		for _, f := range []cluster.Finding{{Kind: cluster.KindECC, Node: "gpu-n01"}, {Kind: cluster.KindPowerBrake,
			Node: "gpu-n02"}, {Kind: cluster.KindPowerBrake, Node: "gpu-n03"}} {
			for gpu := range 4 {
				f.Severity, f.GPU, f.Since = cluster.Warning, gpu, uitest.Ago(time.Hour)
				f.Key = fmt.Sprint("GPU-", gpu)
				s.Jobs[0].Findings = append(s.Jobs[0].Findings, f)
			}
		}
		return s
	}
	over := shot{snap: snap, view: func(v *view) { v.on = keys.OnOverview }}
	if text := strings.Join(linesOf(over, 120, 40), "\n"); !strings.Contains(text, "3 problems, worst first") {
		t.Errorf("there are not 3:\n%s", text)
	}
}

// A problem that came back says how often it began, and when it was last over.
func TestProblemSaysHowOften(t *testing.T) {
	snap := func() *cluster.Snapshot {
		s := uitest.Fixture()
		s.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindPowerBrake, Severity: cluster.Warning, Node: "gpu-n01",
			GPU: 1, Key: s.Nodes["gpu-n01"].GPUs[1].Key, Since: uitest.Ago(time.Minute), Times: 2, Last: uitest.Ago(30 * time.Second),
			Earlier: cluster.Earlier{Times: 3, Since: uitest.Ago(20 * time.Minute)}}}
		return s
	}
	want := fmt.Sprintf("5 times since %s, last over at %s.", uitest.Ago(20*time.Minute).Format(time.TimeOnly),
		uitest.Ago(30*time.Second).Format(time.TimeOnly))
	list := shot{snap: snap, view: func(v *view) { v.on = keys.OnProblems }}
	if text := strings.Join(linesOf(list, 150, 40), "\n"); !strings.Contains(text, want) {
		t.Errorf("there is no %q:\n%s", want, text)
	}
}

func TestTextTellsWhatIsOver(t *testing.T) {
	var b bytes.Buffer
	if err := Print(&b, overFixture(), PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), overWords) || !strings.Contains(b.String(), "1 problem cleared 12s ago") {
		t.Error(b.String())
	}
}

// The footer of the overview has the eight places of all footers first, all of them in 80 columns.
func TestFooterOfTheOverview(t *testing.T) {
	for _, test := range []struct {
		w    int
		keys string
		want string
	}{
		{60, "", "1-9  Enter open  / filter  s sort  v map  ? all  q quit"},
		{80, "", "1-9 pages  Enter open  / filter  s sort: name  v map  n problem  ? all  q quit"},
		{80, "v", "1-9 pages  Enter open  / filter  s sort  v time  n problem  ? all  q quit"},
		{80, "vv", "1-9 pages  Enter open  / filter  s sort  v table  n problem  ? all  q quit"},
		{80, "/n0\r", "1-9 pages  Enter open  / filter  s sort: name  v map  n problem  ? all  q quit"},
		{120, "", "1-9 pages  Enter open  ←→ GPU  [] job  / filter  s sort: name  v map  n problem  u metric  ! problems  " +
			"? all  q quit"},
	} {
		lines := linesOf(shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnOverview }, typed: test.keys},
			test.w, 24)
		if got := strings.TrimSpace(lines[len(lines)-1]); got != test.want {
			t.Errorf("%d wide, after %q: %q, want %q", test.w, test.keys, got, test.want)
		}
	}
}
