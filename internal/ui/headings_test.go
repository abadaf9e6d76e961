package ui

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// nodesWith is a job whose nodes have the GPUs of these numbers, all of them well and the job's.
func nodesWith(numbers ...[]int) *cluster.Snapshot {
	s := uitest.Fixture()
	r := rand.New(rand.NewPCG(1, 1))
	job := &s.Jobs[0]
	job.Findings, job.Nodes, job.Minors = nil, job.Nodes[:len(numbers)], map[string][]int{}
	job.GPUs, job.Reporting = 0, len(numbers)
	for i, name := range job.Nodes {
		n := uitest.NodeOf(r, name, len(numbers[i]))
		for k, number := range numbers[i] {
			n.GPUs[k].Number, n.GPUs[k].Card.Minor = number, new(number)
			n.Hello.GPUs = append(n.Hello.GPUs, *n.GPUs[k].Card)
		}
		job.Minors[name] = numbers[i]
		job.GPUs += len(numbers[i])
		s.Nodes[name] = n
	}
	job.GPUsSeen = job.GPUs
	return s
}

// trouble makes a GPU of a node throttle.
func trouble(s *cluster.Snapshot, node string, number int) *cluster.Snapshot {
	s.Jobs[0].Findings = append(s.Jobs[0].Findings,
		cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Since: uitest.Ago(1), Node: node, GPU: number})
	return uitest.Keyed(s)
}

// fail makes a node that has said what it has stop to report.
func fail(s *cluster.Snapshot, node string) *cluster.Snapshot {
	n := s.Nodes[node]
	failed := uitest.RefusedNode()
	failed.Name, failed.Hello = node, n.Hello
	s.Nodes[node] = failed
	return s
}

// The heading of a cell is the number of a GPU, not its place among those of a node.
func TestHeadingsAreNumbers(t *testing.T) {
	first, last := []int{0, 1, 2, 3}, []int{4, 5, 6, 7}
	for _, test := range []struct {
		name        string
		snap        *cluster.Snapshot
		head, cells string // as they begin behind the names: from 116 columns on numbers, below heights
	}{
		{"halves of two nodes", trouble(nodesWith(last, first), "gpu-n01", 6), `  0   1   2   3   4   5   6   7 `,
			` {18}\d\d  \d\d \s?\d\dT`},
		{"a cgroup of two", nodesWith([]int{1, 3}), `  1   3 `, ` \d\d  \d\d `},
		{"different ones", trouble(nodesWith([]int{1}, []int{3}), "gpu-n02", 3), `  1   3 `, ``},
		{"a node that fails keeps the headings", fail(nodesWith(first, last), "gpu-n02"),
			`  0   1   2   3   4   5   6   7 `, ``},
	} {
		s := shot{name: test.name, snap: func() *cluster.Snapshot { return test.snap },
			view: func(v *view) { v.on = keys.OnOverview }}
		lines := linesOf(s, 120, 40)
		text := strings.Join(lines, "\n")
		if !regexp.MustCompile(`NODE +` + test.head).MatchString(lines[3]) {
			t.Errorf("%s: the headings are %q", test.name, lines[3])
		}
		if !regexp.MustCompile(`gpu-n01 +` + test.cells).MatchString(lines[4]) {
			t.Errorf("%s: the cells are %q\n%s", test.name, lines[4], text)
		}
	}
}

// Each GPU stands under its number in every style of cell; a node that fails changes no heading.
func TestCellsStandUnderTheirNumbers(t *testing.T) {
	snap := trouble(nodesWith([]int{4, 5, 6, 7}, []int{0, 1, 2, 3}), "gpu-n01", 6)
	for w := 60; w <= 300; w += 7 {
		for _, grid := range []func(*view){
			func(v *view) { v.on = keys.OnOverview },
			func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridMap },
		} {
			lines := linesOf(shot{name: "halves", snap: func() *cluster.Snapshot { return snap }, view: grid}, w, 40)
			head, row := -1, -1
			for y, line := range lines[:8] {
				if head < 0 && strings.Contains(strings.ReplaceAll(line, " ", ""), "01234567") {
					head = y
				}
				if head >= 0 && y > head && row < 0 && strings.Contains(line, "T") {
					row = y
				}
			}
			if head < 0 || row < 0 {
				t.Fatalf("%d wide: no headings or no letter:\n%s", w, strings.Join(lines, "\n"))
			}
			six, letter := slices.Index([]rune(lines[head]), '6'), slices.Index([]rune(lines[row]), 'T')
			if letter-six < 0 || letter-six > 1 {
				t.Errorf("%d wide: the letter of GPU 6 stands at %d, its number at %d:\n%s\n%s", w, letter, six,
					lines[head], lines[row])
			}
		}
	}
}

// Nodes with sixteen GPUs have a cell for each where there is room.
func TestSixteenGPUs(t *testing.T) {
	all := make([]int, 16)
	for i := range all {
		all[i] = i
	}
	s := shot{name: "16", snap: func() *cluster.Snapshot { return nodesWith(all, all) },
		view: func(v *view) { v.on = keys.OnOverview }}
	for w, want := range map[int]string{80: " 02468024 ", 100: " 0123456789012345 ",
		120: " 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 "} {
		if lines := linesOf(s, w, 40); !strings.Contains(lines[3], want) {
			t.Errorf("%d wide: the headings are %q, not %q", w, lines[3], want)
		}
	}
}

// A GPU whose number is not known stands under a question mark.
func TestHeadingOfAGPUWithoutANumber(t *testing.T) {
	snap := nodesWith([]int{0, 1})
	snap.Jobs[0].Minors = nil
	n := snap.Nodes["gpu-n01"]
	lost := n.GPUs[1]
	lost.Card = &wire.Card{Index: 2, Lost: "GPU is lost"}
	lost.Number = cluster.NoNumber
	n.GPUs = append(n.GPUs, lost)
	s := shot{name: "?", snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.on = keys.OnOverview }}
	if lines := linesOf(s, 120, 40); !strings.Contains(lines[3], "  0   1   ? ") {
		t.Errorf("the headings are %q", lines[3])
	}
}

// A GPU that SLURM allocated to the job and that nobody sees has a row and a cell of its own.
func TestAMissingGPUIsShown(t *testing.T) {
	without := func() *cluster.Snapshot {
		snap := nodesWith([]int{0, 1, 2, 3}, []int{0, 1, 2, 3})
		n := snap.Nodes["gpu-n01"]
		n.GPUs = slices.Delete(n.GPUs, 2, 3)
		n.Hello.GPUs = slices.Delete(n.Hello.GPUs, 2, 3)
		n.Hello.Job = snap.Jobs[0].Number
		return snap
	}
	hidden := func() *cluster.Snapshot {
		snap := without()
		n := snap.Nodes["gpu-n01"]
		n.GPUs, n.Hello.GPUs, n.Hello.Job = nil, nil, "17"
		return snap
	}
	for _, test := range []struct {
		name string
		snap func() *cluster.Snapshot
		node []string
		over string
	}{
		{"one", without, []string{"✗  2     –   SLURM allocated it to this job, but the driver does not list it"},
			` \d\d +\d\d +X +\d\d `},
		{"all, hidden", hidden, []string{"✗  0     –   hidden by the cgroup of job 17",
			"✗  3     –   hidden by the cgroup of job 17"}, ` X +X +X +X `},
	} {
		snap := test.snap()
		of := func(screen keys.Page) []string {
			return linesOf(shot{name: test.name, snap: func() *cluster.Snapshot { return snap },
				view: func(v *view) { v.on = screen }}, 120, 40)
		}
		text := strings.Join(of(keys.OnNode), "\n")
		for _, want := range test.node {
			if !strings.Contains(text, want) {
				t.Errorf("%s: there is no %q:\n%s", test.name, want, text)
			}
		}
		if lines := of(keys.OnOverview); !regexp.MustCompile(test.over).MatchString(lines[4]) {
			t.Errorf("%s: the cells are %q", test.name, lines[4])
		}
	}
}
