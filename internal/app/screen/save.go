package screen

import (
	"github.com/nvnodetop/nvnodetop/internal/config"
	choices "github.com/nvnodetop/nvnodetop/internal/ui/settings"
)

// saveSettings writes the choices made on the screen to the user's file of settings, and returns its path.
func saveSettings(c choices.Choices, keys []string) (path string, err error) {
	cfg := config.Default()
	cfg.Theme, cfg.View, cfg.Columns = c.Theme, c.View, c.Columns
	cfg.GPULevels, cfg.MemoryLevels = config.Levels(c.Levels), config.Levels(c.MemoryLevels)
	cfg.Colors = config.ColorsOf(c.Classic)
	path = config.UserFile()
	return path, cfg.Save(path, keys...)
}
