package header

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// sceneOf is a wide scene of a job of two nodes with these findings.
func sceneOf(findings ...cluster.Finding) *part.Frame {
	s := &part.Scene{Snap: &cluster.Snapshot{At: time.Unix(1000, 0), Nodes: map[string]*cluster.Node{}},
		Size:   part.Size{W: 200, H: 50},
		Memory: &part.Memory{}}
	job := cluster.JobView{Job: cluster.Job{ID: "1", Nodes: []string{"gpu-n01", "gpu-n02"}}, Findings: findings,
		Reporting: 2, GPUs: 4, GPUsSeen: 4}
	job.Minors = map[string][]int{}
	for _, name := range job.Nodes {
		n := &cluster.Node{Name: name, State: cluster.NodeReporting}
		for i := range 2 {
			g := cluster.GPU{GPU: &wire.GPU{}, Number: i, Key: strconv.Itoa(i)}
			g.Values.Set(metric.Util, 50)
			n.GPUs = append(n.GPUs, g)
		}
		s.Snap.Nodes[name], job.Minors[name] = n, []int{0, 1}
	}
	s.Snap.Jobs = []cluster.JobView{job}
	s.SetJob(0)
	return &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
}

// rowOf is row 1 of a frame.
func rowOf(f *part.Frame) string {
	Problems(f)
	return strings.TrimSpace(strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil,
		f.Canvas)), "\n")[1])
}

// Errors come first in row 1, then the slow GPU, as many as fit; SLURM's silence displaces none of them.
func TestRow1NamesErrorsFirst(t *testing.T) {
	findings := []cluster.Finding{
		{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "gpu-n01", GPU: 1, Key: "1"},
		{Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Node: "gpu-n02", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
		{Kind: cluster.KindLag, Severity: cluster.Warning, Node: "gpu-n02", GPU: 1, Key: "1"},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
	}
	const lost, refused, lags = "✗ gpu-n01 GPU1 lost    ", "✗ gpu-n02 login refused   ", "▲ gpu-n02 GPU1 lags"
	for w, want := range map[int]string{
		80:  lost + "✗ login refused   " + lags + "  +2",
		100: lost + refused + lags + " 0/0%  +2",
		120: lost + refused + lags + " 0/0%  +2",
		200: lost + refused + lags + ": 0% against a median of 0%  ▲ gpu-n01 GPU0 thermal throttling  " +
			"▲ gpu-n01 GPU0 ECC errors",
	} {
		f := sceneOf(findings...)
		f.W, f.Canvas = w, draw.New(w, f.H)
		if row := rowOf(f); !strings.HasPrefix(row, want) {
			t.Errorf("%d wide, row 1 is %q", w, row)
		}
		f = sceneOf(findings...)
		f.Snap.Discovery.Failure = &reach.Failure{Short: "squeue failed"}
		f.W, f.Canvas = w, draw.New(w, f.H)
		if row := rowOf(f); !strings.Contains(row, "login refused   "+lags) || w >= 200 != strings.Contains(row,
			"▲ squeue failed") {
			t.Errorf("%d wide, without SLURM row 1 is %q", w, row)
		}
	}
}

// The reason of the worst problem stands before the names of others, in as many words as fit.
func TestRow1HasTheReasonOfTheWorst(t *testing.T) {
	findings := []cluster.Finding{
		{Kind: cluster.KindFailed, Class: reach.ClassAuth, Severity: cluster.Critical, Node: "gpu-n02", GPU: -1},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "0"},
		{Kind: cluster.KindECC, Severity: cluster.Warning, Node: "gpu-n01", GPU: 1, Key: "1"},
	}
	for w, want := range map[int]string{
		40:  "✗ login refused   +2",
		59:  "✗ login refused: permission denied…   +2 ",
		80:  "✗ gpu-n02 login refused: permission denied…   +2 more: press 7 ",
		120: "✗ gpu-n02 login refused: permission denied (publickey,password)   +2 ",
		140: "✗ gpu-n02 login refused: permission denied (publickey,password)   ▲ gpu-n01 GPU0 thermal  +1 ",
	} {
		f := sceneOf(findings...)
		f.NodeOf("gpu-n02").Failure = &reach.Failure{Class: reach.ClassAuth, Short: "permission denied",
			Detail: "publickey,password"}
		f.W, f.Canvas = w, draw.New(w, f.H)
		if row := rowOf(f); !strings.HasPrefix(row, want) {
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
		{[]cluster.Finding{thermal}, "▲ gpu-n01 GPU0 thermal throttling"},
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
	counts := map[cluster.Severity]int{cluster.Critical: 1, cluster.Warning: 2, cluster.Note: 1, part.Over: 1}
	if diff := cmp.Diff(counts, part.BySeverity([]cluster.Finding{lost, thermal, slow, over, {}})); diff != "" {
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
		change func(f *part.Frame)
		want   string
	}{
		{"all is well", func(*part.Frame) {}, "4 GPUs OK"},
		{"two roles", func(f *part.Frame) { f.Job.Roles = []pace.Role{{GPUs: 1, Util: 89.6}, {GPUs: 3, Util: 40}} },
			"4 GPUs OK   2 groups: 1 GPU at 90%, 3 at 40%"},
		{"one GPU", func(f *part.Frame) { f.Job.GPUs, f.Job.GPUsSeen = 1, 1 }, "GPU OK"},
		{"a note", func(f *part.Frame) { f.Job.Findings = []cluster.Finding{{Kind: cluster.KindOldDriver}} },
			"4 GPUs OK"},
		{"one is not seen", func(f *part.Frame) { f.Job.GPUsSeen = 3 }, "3 of 4 GPUs report"},
		{"more are seen than were given", func(f *part.Frame) { f.Job.GPUsSeen = 5 }, "5 of 4 GPUs report"},
		{"a node does not report", func(f *part.Frame) { f.Job.Reporting = 1 }, ""},
		{"no numbers", func(f *part.Frame) { f.NodeOf("gpu-n02").GPUs[1].Values = metric.Values{} },
			"1 GPU reports no metrics"},
		{"a moment ago", func(f *part.Frame) { f.Job.Findings = []cluster.Finding{over} }, "1 problem cleared 4s ago"},
		{"no GPUs", func(f *part.Frame) {
			f.Job.GPUs, f.Job.GPUsSeen, f.Job.Minors = 0, 0, map[string][]int{"gpu-n01": {}, "gpu-n02": {}}
		}, "this job has no GPUs"},
		{"no GPUs yet", func(f *part.Frame) { f.Job.GPUs, f.Job.GPUsSeen, f.Job.Minors = 0, 0, nil },
			"no GPUs known for this job yet"},
		{"which are not told", func(f *part.Frame) { f.Job.Minors = nil },
			"4 GPUs OK (all GPUs on these nodes)"},
		{"printed, before all is checked", func(f *part.Frame) { f.Printed, f.Snap.NotChecked = true, notChecked },
			"4 GPUs report"},
		{"one GPU, printed", func(f *part.Frame) {
			f.Printed, f.Snap.NotChecked, f.Job.GPUs, f.Job.GPUsSeen = true,
				notChecked, 1, 1
		}, "1 GPU reports"},
		{"printed, when all is checked", func(f *part.Frame) { f.Printed = true }, "4 GPUs OK"},
		{"on the screen, before all is checked", func(f *part.Frame) { f.Snap.NotChecked = notChecked }, "4 GPUs OK"},
		{"from --nodes", func(f *part.Frame) { f.Job.ID, f.Job.Minors = "", nil }, "4 GPUs OK"},
		{"SLURM is away", func(f *part.Frame) {
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
