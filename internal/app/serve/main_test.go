package serve_test

import (
	"os"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// TestMain lets serve make a state ten times a second, not once: most tests wait for states.
func TestMain(m *testing.M) {
	_ = os.Setenv("NVNODETOP_DISPLAY_INTERVAL", "100ms")
	apptest.Main(m, apptest.App{Main: app.Main, Run: app.Run})
}
