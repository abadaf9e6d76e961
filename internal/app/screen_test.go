package app

import (
	"os"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/ui"
)

// What the user chooses is there at the next start, except in the demo and for what the command line decided.
func TestChoicesAreKept(t *testing.T) {
	for _, test := range []struct {
		name         string
		change       func(*config.Config)
		view, colors string
		files        int
	}{
		{"plain", func(*config.Config) {}, ui.ViewOverview, ui.ColorsClassic, 2},
		{"demo", func(c *config.Config) { c.Demo = "4x8" }, ui.ViewAuto, ui.ColorsJob, 0},
		{"--view", func(c *config.Config) { c.View = ui.ViewNode }, ui.ViewNode, ui.ColorsClassic, 1},
		{"--colors", func(c *config.Config) { c.Colors = ui.ColorsJob }, ui.ViewOverview, ui.ColorsJob, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_STATE_HOME", dir)
			cfg := config.Default()
			test.change(&cfg)
			if save := screen(&cfg, nil, nil).Remember; save != nil {
				save(ui.RememberView, ui.ViewOverview)
				save(ui.RememberColors, ui.ColorsClassic)
			}
			next := screen(&cfg, nil, nil)
			if next.View != test.view || next.Colors != test.colors {
				t.Errorf("view %q, colors %q, want %q, %q", next.View, next.Colors, test.view, test.colors)
			}
			if files, _ := os.ReadDir(dir + "/nvnodetop"); len(files) != test.files {
				t.Errorf("%d files, want %d", len(files), test.files)
			}
		})
	}
}
