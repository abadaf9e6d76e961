package app

import (
	"cmp"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/export"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/printout"
)

// Widths of --once. A file or pipe has fileWidth unless COLUMNS says otherwise.
const (
	fileWidth             = 120
	leastWidth, mostWidth = 60, 1000
)

func printOnce(cfg *config.Config, io streams, snap *cluster.Snapshot) error {
	if cfg.JSON {
		return export.JSON(io.out, snap)
	}
	return printout.Write(io.out, snap, printout.Options{
		Width: textWidth(io.out), Theme: cfg.Theme, Profile: profile(cfg, io.out), ASCII: ascii(cfg),
		Classic: colors(cfg) == ui.ColorsClassic,
		Only:    only(cfg), Levels: part.Levels(cfg.GPULevels), MemoryLevels: part.Levels(cfg.MemoryLevels),
		Columns: cfg.Columns,
	})
}

// profile is which colors the output takes. NO_COLOR counts more than --force-color.
func profile(cfg *config.Config, out *os.File) colorprofile.Profile {
	environ := os.Environ()
	if cfg.ForceColor {
		environ = append(environ, "CLICOLOR_FORCE=1")
	}
	return colorprofile.Detect(out, environ)
}

func textWidth(out *os.File) int {
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		if width, err = strconv.Atoi(os.Getenv("COLUMNS")); err != nil {
			return fileWidth
		}
	}
	return min(max(width, leastWidth), mostWidth)
}

// colors returns the palette: the one asked for, or else the last choice.
func colors(cfg *config.Config) string {
	return cmp.Or(cfg.Colors, config.Remembered(config.Colors), ui.ColorsJob)
}

// ascii reports whether to draw with ASCII only: because of --ascii, or because the terminal or the locale has no more.
func ascii(cfg *config.Config) bool {
	if cfg.UTF8 {
		return false
	}
	if t := os.Getenv("TERM"); cfg.ASCII || t == "linux" || t == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return true
}
