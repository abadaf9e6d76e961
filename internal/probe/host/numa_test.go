package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestNUMANodes(t *testing.T) {
	two := []wire.NUMANode{{ID: 0, CPUs: "0-1,4-5", Socket: 0}, {ID: 1, CPUs: "2-3", Socket: 1}}
	for name, test := range map[string]struct {
		files map[string]string
		want  []wire.NUMANode
	}{
		"two":            {map[string]string{"node0": "0-1,4-5", "node1": "2-3", "cpu0": "0", "cpu2": "1"}, two},
		"one":            {map[string]string{"node0": "0-5", "cpu0": "0"}, nil},
		"memory of GPUs": {map[string]string{"node0": "0-1,4-5", "node1": "2-3", "node2": "", "cpu0": "0", "cpu2": "1"}, two},
		"no socket":      {map[string]string{"node0": "0-1", "node1": "2-3", "cpu0": "0"}, nil},
		"a long list": {map[string]string{"node0": strings.Repeat("0,", 200), "node1": "2", "cpu0": "0", "cpu2": "0"},
			nil},
		"nothing": {nil, nil},
	} {
		sys := t.TempDir()
		for key, text := range test.files {
			path := filepath.Join(sys, "devices/system/node", key, "cpulist")
			if strings.HasPrefix(key, "cpu") {
				path = filepath.Join(sys, "devices/system/cpu", key, "topology/physical_package_id")
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := numaNodes(sys); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
