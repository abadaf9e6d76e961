package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

var update = flag.Bool("update", false, "write the golden files anew")

// shot is one screen of one Snapshot.
type shot struct {
	name string
	snap func() *cluster.Snapshot
	view func(v *view)
}

var shots = []shot{
	{"node", fixture, func(v *view) { v.choose("gpu-n02", 1) }},
	{"node-procs", fixture, func(v *view) { v.choose("gpu-n02", 1); v.processes = true }},
	{"node-classic", fixture, func(v *view) { v.choose("gpu-n02", 1); v.classic = true }},
	{"node-shared", fixture, func(v *view) { v.job = "48377"; v.processes = true }},
	{"node-states", statesFixture, func(*view) {}},
	{"node-connecting", fixture, func(v *view) { v.choose("gpu-n03", 2) }},
	{"node-refused", fixture, func(v *view) { v.choose("gpu-n04", 3) }},
	{"doctor", fixture, func(v *view) { v.screen = screenDoctor }},
	{"overview", fixture, func(v *view) { v.screen = screenOverview; v.choose("gpu-n02", 1) }},
	{"overview-worst", fixture, func(v *view) { v.screen = screenOverview; v.worst = true }},
	{"heatmap", bigFixture, func(v *view) { v.screen = screenOverview; v.choose("gpu-n017", 16) }},
	{"nojobs", noJobsFixture, func(*view) {}},
	{"help", fixture, func(v *view) { v.help = true }},
	{"byhand", byHandFixture, func(*view) {}},
	{"controller-away", awayFixture, func(v *view) { v.screen = screenOverview }},
	{"slurm-failed", slurmFailedFixture, func(*view) {}},
	{"nogpus", noGPUsFixture, func(*view) {}},
}

// take draws a shot.
func (s shot) take(w, h int) *draw.Canvas {
	v := newView(false)
	snap := s.snap()
	v.settle(snap)
	s.view(v)
	c := draw.New(w, h)
	render(c, scene{snap: snap, view: v, poll: 3 * time.Second, display: time.Second, version: "nvnodetop 0.1.0"}, &scratch{})
	return c
}

var (
	asciiTheme = draw.NewTheme(colorprofile.NoTTY, false, true)
	darkTheme  = draw.NewTheme(colorprofile.TrueColor, false, false)
)

// dark are the shots that show what ASCII cannot: roles and glyphs.
var dark = []string{"node-classic", "node-shared", "node-states", "node-refused", "overview", "heatmap"}

func TestGolden(t *testing.T) {
	for _, s := range shots {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			c := s.take(size[0], size[1])
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name+"-ascii.golden", string(asciiTheme.Encode(nil, c))+"\n") })
			if size[0] == 120 && slices.Contains(dark, s.name) {
				t.Run(name+"-dark", func(t *testing.T) { golden(t, name+"-dark.golden", string(darkTheme.Encode(nil, c))+"\n") })
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the frame has changed (-want +got); see it and run the test with -update:\n%s", diff)
	}
}
