package screen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// The settings accept just the themes that can be drawn.
func TestThemes(t *testing.T) {
	t.Parallel()
	if !slices.Equal(config.Themes, draw.Themes) {
		t.Errorf("the settings have %q, the screen has %q", config.Themes, draw.Themes)
	}
}

// The theme holds for text too, and NO_COLOR goes before any theme.
func TestTextHasTheTheme(t *testing.T) {
	apptest.WithSettings(t, "", "")
	t.Setenv("CLICOLOR_FORCE", "1")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("COLORTERM", "truecolor")
	texts := map[string]bool{}
	for _, theme := range []string{"dark", "light", "high-contrast", "colorblind", "mono"} {
		code, out, errs := apptest.Run(t, "--demo=1x1", "--once", "--theme", theme)
		if code > cli.ExitFailed || errs != "" || !strings.Contains(out, "\x1b[0;") || texts[colorsOf(out)] ||
			(theme == "mono") != !strings.Contains(out, "38;2;") {
			t.Errorf("%s: exit code %d, stderr %q, escape sequences %s", theme, code, errs, colorsOf(out))
		}
		texts[colorsOf(out)] = true
	}
	t.Setenv("CLICOLOR_FORCE", "")
	t.Setenv("NO_COLOR", "1")
	if _, out, _ := apptest.Run(t, "--demo=1x1", "--once", "--theme", "high-contrast"); strings.Contains(out, "38;") {
		t.Errorf("NO_COLOR does not hold: %.300q", out)
	}
}

// colorsOf are the escape sequences of a text.
func colorsOf(text string) string {
	all := map[string]bool{}
	for piece := range strings.SplitSeq(text, "\x1b[") {
		code, _, _ := strings.Cut(piece, "m")
		all[code] = strings.HasPrefix(code, "0;")
	}
	var is []string
	for code, color := range all {
		if color {
			is = append(is, code)
		}
	}
	slices.Sort(is)
	return strings.Join(is, " ")
}
