package screen

import (
	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// choicesOf returns the settings that can be changed on the screen.
func choicesOf(cfg *config.Config) settings.Choices {
	return settings.Choices{Theme: cfg.Theme, View: startView(cfg), Look: lookOf(cfg)}
}

// lookOf returns the look of the pages, on the screen and printed.
func lookOf(cfg *config.Config) part.Look {
	return part.Look{Columns: cfg.Columns, Colors: part.Colors{Classic: cli.Classic(cfg),
		Levels: part.Levels(cfg.GPULevels), MemoryLevels: part.Levels(cfg.MemoryLevels)}}
}

// saveSettings writes the choices made on the screen to the user's file of settings, and returns its path.
func saveSettings(c settings.Choices, keys []string) (path string, err error) {
	cfg := config.Default()
	cfg.Theme, cfg.View, cfg.Columns = c.Theme, c.View, c.Columns
	cfg.GPULevels, cfg.MemoryLevels = config.Levels(c.Levels), config.Levels(c.MemoryLevels)
	cfg.Colors = config.ColorsOf(c.Classic)
	path = config.UserFile()
	return path, cfg.Save(path, keys...)
}
