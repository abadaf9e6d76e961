package app

import (
	"cmp"
	"os"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/export"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/internal/ui/page"
)

// Widths of --once: a terminal's own, else that of the file or pipe.
const (
	fileWidth  = 120
	leastWidth = 60
)

func printOnce(cfg *config.Config, io streams, snap *cluster.Snapshot) error {
	if cfg.JSON {
		return export.JSON(io.out, snap)
	}
	width := fileWidth
	if w, _, err := term.GetSize(int(io.out.Fd())); err == nil {
		width = max(w, leastWidth)
	}
	return page.Text(io.out, snap, page.TextOptions{
		Width: width, Profile: colorprofile.Detect(io.out, os.Environ()), ASCII: ascii(cfg), Classic: colors(cfg) == ui.ColorsClassic,
	})
}

// colors returns the palette: the one asked for, or else the last choice.
func colors(cfg *config.Config) string {
	return cmp.Or(cfg.Colors, config.Remembered(config.Colors), ui.ColorsJob)
}

// ascii reports whether only ASCII may be drawn: asked for, or all that the terminal or the locale can show.
func ascii(cfg *config.Config) bool {
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
