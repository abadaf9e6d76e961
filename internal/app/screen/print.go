package screen

import (
	"os"
	"strconv"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Widths of --once. A file or pipe has fileWidth unless COLUMNS says otherwise.
const (
	fileWidth             = 120
	leastWidth, mostWidth = 60, 1000
)

// TextFormat is the format of text, besides the settings.
type TextFormat struct {
	cli.Selection
	ForceColor bool // use colors although the output is not a terminal
}

// Text prints a Snapshot as text.
func (l TextFormat) Text(p *cli.Program, snap *cluster.Snapshot) error {
	cfg := &p.Config
	return ui.Print(p.Out, snap, ui.PrintOptions{
		Width: textWidth(p.Out), Theme: cfg.Theme, Profile: l.outputColors(p.Out), ASCII: cli.ASCII(cfg),
		Look: lookOf(cfg), Only: l.GPUs, Processes: l.Processes,
	})
}

// PrintJSON prints a Snapshot as JSON, with the chosen processes of its nodes. more may add to it, or be nil.
func PrintJSON(p *cli.Program, snap *cluster.Snapshot, choice *cli.Selection, more func(*schema.Snapshot)) error {
	doc := export.Narrowed(snap, choice.Narrow(snap))
	if more != nil {
		more(doc)
	}
	return export.JSON(p.Out, doc)
}

// outputColors returns the colors that the output supports. NO_COLOR takes precedence over --force-color.
func (l TextFormat) outputColors(out *os.File) colorprofile.Profile {
	environ := os.Environ()
	if l.ForceColor {
		environ = append(environ, "CLICOLOR_FORCE=1")
	}
	return colorprofile.Detect(out, environ)
}

func textWidth(out *os.File) int {
	width, _, err := term.GetSize(out.Fd())
	if err != nil {
		if width, err = strconv.Atoi(os.Getenv("COLUMNS")); err != nil {
			return fileWidth
		}
	}
	return min(max(width, leastWidth), mostWidth)
}
