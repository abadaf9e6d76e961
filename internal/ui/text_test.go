package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

func TestTextGolden(t *testing.T) {
	for name, snap := range map[string]*cluster.Snapshot{"text": uitest.Fixture(), "text-states": uitest.StatesFixture(),
		"text-nojobs": uitest.NoJobsFixture()} {
		var b bytes.Buffer
		if err := Print(&b, snap, PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/"+name+".txt", b.String())
	}
}

// Whatever the width: every node of every job is there, no line is too wide, and without a terminal there are no escape
// sequences.
func TestTextAtAnyWidth(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for _, snap := range []*cluster.Snapshot{uitest.Fixture(), uitest.StatesFixture(), uitest.BigFixture(),
		uitest.ByHandFixture(), uitest.NoGPUsFixture(),
		uitest.NoJobsFixture(), uitest.SlurmFailedFixture()} {
		for w := 20; w <= 300; w += 7 {
			var b bytes.Buffer
			if err := Print(&b, snap, PrintOptions{Width: w, Profile: colorprofile.NoTTY,
				ASCII: w%2 == 0}); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if strings.Contains(text, "\x1b") {
				t.Fatalf("width %d: escape sequences", w)
			}
			for _, key := range []string{"PgDn", "press 7"} { // nobody can press one
				if strings.Contains(text, key) {
					t.Fatalf("width %d: a key, %s", w, key)
				}
			}
			for line := range strings.Lines(text) {
				if n := draw.Width(strings.TrimSuffix(line, "\n")); n > w {
					t.Fatalf("width %d: a line of %d columns: %q", w, n, line)
				}
			}
			for i := range snap.Jobs {
				for _, node := range snap.Jobs[i].Nodes {
					if w >= 60 && !strings.Contains(text, node) {
						t.Fatalf("width %d: %s is missing", w, node)
					}
				}
			}
		}
	}
}

func TestTextSaysThatItCannotBeWritten(t *testing.T) {
	if err := Print(fullDisk{}, uitest.Fixture(), PrintOptions{Width: 80}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// failedNodes is a job none of whose nodes can be reached, with names that are wider than their column.
func failedNodes(count int) *cluster.Snapshot {
	s := &cluster.Snapshot{At: uitest.Now, Poll: 3 * time.Second, Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{Job: cluster.Job{ID: "1", Name: "wide"}}
	for i := range count {
		n := uitest.RefusedNode()
		n.Name = fmt.Sprintf("accelerator-%04d", i)
		job.Nodes = append(job.Nodes, n.Name)
		s.Nodes[n.Name] = n
		job.Findings = append(job.Findings, cluster.Finding{
			Kind: cluster.KindFailed, Class: reach.ClassAdopt, Severity: cluster.Critical, Since: uitest.Ago(time.Minute),
			Node: n.Name, GPU: -1,
		})
	}
	s.Jobs = []cluster.JobView{job}
	return s
}

// The text of four times as many nodes should take about four times as long.
func BenchmarkText(b *testing.B) {
	for _, nodes := range []int{500, 2000} {
		snap := failedNodes(nodes)
		b.Run(strconv.Itoa(nodes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Print(io.Discard, snap,
					PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The text of four times as many nodes makes about four times as much garbage: to compare each node's name with all
// others makes 16 times as much.
func TestTextGrowsLinearly(t *testing.T) {
	allocs := func(nodes int) float64 {
		snap := failedNodes(nodes)
		return testing.AllocsPerRun(1, func() {
			if err := Print(io.Discard, snap,
				PrintOptions{Width: 120, Profile: colorprofile.NoTTY}); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocs(100), allocs(400); many > 6*few {
		t.Errorf("100 nodes take %.0f allocations, 400 take %.0f", few, many)
	}
}
