package screen_test

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

// With --details the JSON has what the kernels tell about each process, as its schema says.
func TestDetails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--demo", "1x2", "--json", "--details"},
		{"snapshot", "--demo", "1x2", "--format", "json", "--details"}} {
		code, out, errs := apptest.Run(t, args...)
		if code != cli.ExitOK || errs != "" {
			t.Fatalf("%v: exit code %d, stderr %q", args, code, errs)
		}
		doc := valid.Document(t, export.Schema, []byte(out))
		list := doc["nodes"].([]any)[0].(map[string]any)["processes"].([]any)
		for _, p := range list {
			details, has := p.(map[string]any)["details"].(map[string]any)
			if !has || len(details["arguments"].([]any)) < 2 || details["nice"] == nil ||
				details["descriptors"] == nil {
				t.Errorf("%v: %v", args, p)
			}
		}
		if len(list) == 0 {
			t.Error("no process")
		}
	}
}
