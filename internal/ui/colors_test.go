package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// In ASCII, the arrow keys have names.
func TestArrowKeysInASCII(t *testing.T) {
	raced.Skip(t)
	s := shot{name: "node", snap: uitest.Fixture, view: func(*view) {}}
	if text := string(asciiTheme.Encode(nil, s.takeFor(120, 40, true))); !strings.Contains(text,
		"Lf/Rt node  Up/Dn job") {
		t.Errorf("the keys are not named:\n%s", text)
	}
}

// The classic colors are on every screen that shows the level of utilization.
func TestClassicColorsAreEverywhere(t *testing.T) {
	const red, green = "38;2;255;123;114", "38;2;63;185;80"
	for name, show := range map[string]func(*view){
		"node":     func(v *view) { v.chooseNode("gpu-n02", 1) },
		"overview": func(v *view) { v.on = keys.OnOverview },
		"heat map": func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridMap },
	} {
		for _, classic := range []bool{true, false} {
			s := shot{name: name, snap: quiet, view: func(v *view) { show(v); v.settings.Now.Classic = classic }}
			text := string(darkTheme.Encode(nil, s.take(120, 40)))
			for _, color := range []string{red, green} {
				if strings.Contains(text, color) != classic {
					t.Errorf("%s, classic %v: %s", name, classic, color)
				}
			}
		}
	}
}
