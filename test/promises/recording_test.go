package promises

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/golden"
)

// numbers are the parts of a document that a recording fixes: which jobs, nodes, GPUs and processes there are, and what
// was measured. Findings and times of waiting are judged anew by each version.
var numbers = regexp.MustCompile(`^\.(version$|jobs\[\d+\]\.(id|name|user|nodes)|nodes\[\d+\]\.(name|state|host|` +
	`gpus\[\d+\]\.(index|uuid|name|metrics|pci_bus)|processes\[\d+\]\.(pid|user|name|command|gpu)))`)

// Recordings of every version are read, with the numbers that they have.
func TestRecordings(t *testing.T) {
	each(t, func(t *testing.T, dir string) {
		path := filepath.Join(dir, "demo.nvr")
		if golden.Updating() && dir == newest {
			_ = os.Remove(path)
			if r := runs(t, t.TempDir(), "record", "--demo=1x1", "--max-time", "1s", path); r.code != 0 {
				t.Fatal(r.stderr)
			}
		}
		r := runs(t, t.TempDir(), "replay", "--json", path)
		updated(t, dir, "documents/replay.json", compact(t, object(t, r.stdout))+"\n")
		have := values(object(t, r.stdout), false)
		compared := 0
		for path, was := range values(object(t, kept(t, dir, "documents/replay.json")), false) {
			if !numbers.MatchString(path) {
				continue
			}
			compared++
			if have[path] != was {
				t.Errorf("the recording of %s had %s %s, and now %q", dir, path, was, have[path])
			}
		}
		if compared < 40 {
			t.Errorf("only %d values were compared; stderr: %s", compared, r.stderr)
		}
	})
}
