package part

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// Where there is no room for its line, what is over is no error that is left out.
func TestLeft(t *testing.T) {
	findings := []cluster.Finding{
		{Severity: cluster.Critical, Over: time.Unix(1, 0)}, {Severity: cluster.Critical}, {Severity: cluster.Warning},
		{Severity: cluster.Warning}, {},
	}
	for n, want := range map[int]string{2: "+2 more: 1 error, 1 cleared  (!)",
		5: "+5 more: 1 error, 2 warnings, 1 note, 1 cleared  (!)"} {
		if got := left(findings[:n]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// sceneOf is a wide scene of a job of two nodes with these findings.
func sceneOf(findings ...cluster.Finding) *Frame {
	s := &Scene{Snap: &cluster.Snapshot{At: time.Unix(1000, 0), Nodes: map[string]*cluster.Node{}}, W: 200, H: 50,
		Memory: &Memory{}}
	job := cluster.JobView{Job: cluster.Job{ID: "1", Nodes: []string{"gpu-n01", "gpu-n02"}}, Findings: findings,
		Reporting: 2, GPUs: 4, GPUsSeen: 4}
	job.Minors = map[string][]int{}
	for _, name := range job.Nodes {
		n := &cluster.Node{Name: name, State: cluster.NodeReporting}
		for i := range 2 {
			g := cluster.GPU{Number: i, Key: strconv.Itoa(i)}
			g.Values.Set(metric.Util, 50)
			n.GPUs = append(n.GPUs, g)
		}
		s.Snap.Nodes[name], job.Minors[name] = n, []int{0, 1}
	}
	s.Snap.Jobs = []cluster.JobView{job}
	s.SetJob(0)
	return &Frame{Canvas: draw.New(s.W, s.H), Scene: s}
}

// rowOf is row 1 of a frame.
func rowOf(f *Frame) string {
	HealthLine(f)
	return strings.TrimSpace(strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil,
		f.Canvas)), "\n")[1])
}

// The slow GPU is named in row 1 at every width, also behind several errors.
func TestRow1NamesTheSlowGPU(t *testing.T) {
	findings := []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "gpu-n01", GPU: 1, Key: "1"},
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Node: "gpu-n02", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
		{Kind: cluster.KindLag, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1, Key: "1"},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
	}
	for _, w := range []int{80, 100, 120, 200} {
		f := sceneOf(findings...)
		f.W, f.Canvas = w, draw.New(w, f.H)
		if row := rowOf(f); !strings.HasPrefix(row, "✗ gpu-n01 GPU1 lost   ▲ gpu-n02 GPU1 lags") {
			t.Errorf("%d wide, row 1 is %q", w, row)
		}
	}
}

// Row 1 names a problem that there is one of, and counts several.
func TestRow1Names(t *testing.T) {
	lost := cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "gpu-n01", GPU: 1, Key: "1"}
	refused := cluster.Finding{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical,
		Node: "gpu-n02", GPU: -1}
	thermal := cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"}
	slow := cluster.Finding{Kind: cluster.KindSlowdown, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1, Key: "1"}
	unplaced := cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "gpu-n01", GPU: -1, Key: "x"}
	over := lost
	over.Over = time.Unix(990, 0)
	for _, test := range []struct {
		findings []cluster.Finding
		want     string
	}{
		{[]cluster.Finding{refused}, "✗ gpu-n02 login refused"},
		{[]cluster.Finding{thermal}, "▲ gpu-n01 GPU0 thermal"},
		{[]cluster.Finding{unplaced}, "✗ gpu-n01 GPU? lost"},
		{[]cluster.Finding{lost, thermal, slow, over, {}}, "✗ gpu-n01 GPU1 lost   ▲ 2 GPUs throttled"},
		{[]cluster.Finding{refused, refused}, "✗ 2 logins refused"},
	} {
		f := sceneOf(test.findings...)
		row, _, _ := strings.Cut(rowOf(f), "     ")
		if row = strings.TrimSpace(row); row != test.want {
			t.Errorf("got %q, want %q", row, test.want)
		}
		f.W = 59
		f.Canvas = draw.New(59, 50)
		if row := rowOf(f); strings.Contains(row, "gpu-n0") {
			t.Errorf("a name in a narrow terminal: %q", row)
		}
	}
	counts := map[cluster.Severity]int{cluster.Critical: 1, cluster.Warning: 2, cluster.Note: 1, Over: 1}
	if diff := cmp.Diff(counts, BySeverity([]cluster.Finding{lost, thermal, slow, over, {}})); diff != "" {
		t.Error(diff)
	}
}

// Row 1 says that GPUs are OK when each of them said so, and else what is not known.
func TestRow1SaysOKWhenItIsProven(t *testing.T) {
	over := cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0",
		Over: time.Unix(996, 0)}
	notChecked := []cluster.NotChecked{{Kind: cluster.KindLag, Takes: time.Minute}}
	for _, test := range []struct {
		name   string
		change func(f *Frame)
		want   string
	}{
		{"all is well", func(*Frame) {}, "4 GPUs OK"},
		{"one GPU", func(f *Frame) { f.Job.GPUs, f.Job.GPUsSeen = 1, 1 }, "GPU OK"},
		{"a note", func(f *Frame) { f.Job.Findings = []cluster.Finding{{Kind: cluster.KindOldDriver}} }, "4 GPUs OK"},
		{"one is not seen", func(f *Frame) { f.Job.GPUsSeen = 3 }, "3 of 4 GPUs report"},
		{"more are seen than were given", func(f *Frame) { f.Job.GPUsSeen = 5 }, "5 of 4 GPUs report"},
		{"a node does not report", func(f *Frame) { f.Job.Reporting = 1 }, ""},
		{"no numbers", func(f *Frame) { f.NodeOf("gpu-n02").GPUs[1].Values = metric.Values{} },
			"1 GPU reports no metrics"},
		{"a moment ago", func(f *Frame) { f.Job.Findings = []cluster.Finding{over} }, "1 problem cleared 4s ago"},
		{"no GPUs", func(f *Frame) {
			f.Job.GPUs, f.Job.GPUsSeen, f.Job.Minors = 0, 0, map[string][]int{"gpu-n01": {}, "gpu-n02": {}}
		}, "this job has no GPUs"},
		{"no GPUs yet", func(f *Frame) { f.Job.GPUs, f.Job.GPUsSeen, f.Job.Minors = 0, 0, nil },
			"no GPUs known for this job yet"},
		{"which are not told", func(f *Frame) { f.Job.Minors = nil },
			"4 GPUs OK (every GPU on these nodes; SLURM does not say which belong to this job)"},
		{"printed, before all is checked", func(f *Frame) { f.Printed, f.Snap.NotChecked = true, notChecked },
			"4 GPUs report"},
		{"one GPU, printed", func(f *Frame) {
			f.Printed, f.Snap.NotChecked, f.Job.GPUs, f.Job.GPUsSeen = true,
				notChecked, 1, 1
		}, "1 GPU reports"},
		{"printed, when all is checked", func(f *Frame) { f.Printed = true }, "4 GPUs OK"},
		{"on the screen, before all is checked", func(f *Frame) { f.Snap.NotChecked = notChecked }, "4 GPUs OK"},
		{"from --nodes", func(f *Frame) { f.Job.ID, f.Job.Minors = "", nil }, "4 GPUs OK"},
		{"SLURM is away", func(f *Frame) {
			f.Snap.Discovery.Failure = &reach.Failure{Short: "squeue failed"}
		}, "▲ squeue failed"},
	} {
		f := sceneOf()
		test.change(f)
		row, _, _ := strings.Cut(rowOf(f), "     ")
		if row = strings.TrimSpace(row); row != test.want && (test.want != "" || !strings.HasSuffix(row, "reporting")) {
			t.Errorf("%s: got %q, want %q", test.name, row, test.want)
		}
	}
}

// The same problem on several GPUs of a node is one sentence.
func TestAlike(t *testing.T) {
	of := func(kind cluster.Kind, gpu int) cluster.Finding {
		return cluster.Finding{Kind: kind, Severity: cluster.Warning, Node: "gpu-n01", GPU: gpu, Key: strconv.Itoa(gpu),
			Since: time.Unix(900-int64(gpu), 0)}
	}
	f := sceneOf(of(cluster.KindThermal, 1), of(cluster.KindECC, 1), of(cluster.KindThermal, 0))
	for i, celsius := range []float64{87, 88} {
		f.NodeOf("gpu-n01").GPUs[i].Values.Set(metric.Temperature, celsius)
	}
	all := Alike(f.Job.Findings)
	if len(all) != 2 {
		t.Fatalf("%d sentences", len(all))
	}
	finding, words := all[0].Say(f)
	if words.Sentence != "2 GPUs throttled: GPU0 87°C, GPU1 88°C." || finding.GPU >= 0 || words.Hint == "" ||
		!finding.Since.Equal(time.Unix(899, 0)) {
		t.Errorf("%q, since %v, → %q", words.Sentence, finding.Since, words.Hint)
	}
	if finding, _ := all[1].Say(f); finding.GPU != 1 {
		t.Errorf("the other is of GPU %d", finding.GPU)
	}
}

// A narrow column has a shorter wording, never half a word.
func TestTroubleInNarrowColumns(t *testing.T) {
	lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Since: time.Unix(900, 0), Node: "gpu-n01",
		GPU: 1, Key: "1"}
	hot := cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: time.Unix(900, 0),
		Node: "gpu-n01", GPU: 0, Key: "0"}
	refused := cluster.Finding{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical,
		Since: time.Unix(900, 0), Node: "gpu-n02", GPU: -1}
	f := sceneOf(refused, lag, hot)
	f.NodeOf("gpu-n02").Failure = &reach.Failure{Class: reach.ClassAdopt, Short: "login refused",
		Detail: "pam_slurm_adopt"}
	for node, want := range map[string]map[int]string{"gpu-n01": {14: "GPU1 lags +1", 8: "lags +1"},
		"gpu-n02": {15: "login refused", 13: "login refused"}} {
		for w, text := range want {
			if got := Trouble(f, f.NodeOf(node), w); got != text {
				t.Errorf("%s in %d columns: %q, want %q", node, w, got, text)
			}
		}
	}
}
