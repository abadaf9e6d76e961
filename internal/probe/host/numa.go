package host

import (
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// numaNodes reads the NUMA nodes that have CPUs: memory on a device, and that of a GPU, has none. It returns nil unless
// there are several and all of them are understood.
func numaNodes(sys string) []wire.NUMANode {
	paths, _ := filepath.Glob(filepath.Join(sys, "devices/system/node/node[0-9]*/cpulist")) // the pattern is right
	if len(paths) > wire.MaxNUMA {
		return nil
	}
	var nodes []wire.NUMANode
	for _, path := range paths {
		cpus := readLine(path)
		if cpus == "" {
			continue
		}
		first := cpus[:len(cpus)-len(strings.TrimLeft(cpus, "0123456789"))]
		id, wrong := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "node"))
		socket, unknown := strconv.Atoi(readLine(filepath.Join(sys,
			"devices/system/cpu/cpu"+first+"/topology/physical_package_id")))
		if wrong != nil || unknown != nil || len(cpus) > wire.MaxAffinity {
			return nil
		}
		nodes = append(nodes, wire.NUMANode{ID: id, CPUs: cpus, Socket: socket})
	}
	if len(nodes) < 2 {
		return nil
	}
	sort.SliceStable(nodes, func(i, k int) bool { // slices.SortFunc would add code for each type to the probe
		return nodes[i].ID < nodes[k].ID
	})
	return nodes
}

// readLine returns the text of a small file; "" if it cannot be read.
func readLine(path string) string {
	text, _ := os.ReadFile(path) // a file that cannot be read is not known
	return strings.TrimSpace(string(text))
}
