package site

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A small cluster has no topology.
const (
	topologyFrom = 17 // nodes
	nodesPerLeaf = 32
)

// Switches returns the leaf switches of nodes.
func Switches(nodes []string) (leaves []cluster.Switch) {
	if len(nodes) < topologyFrom {
		return nil
	}
	digits := max(len(fmt.Sprint((len(nodes)+nodesPerLeaf-1)/nodesPerLeaf)), 2)
	for under := range slices.Chunk(nodes, nodesPerLeaf) {
		leaves = append(leaves, cluster.Switch{Name: fmt.Sprintf("leaf%0*d", digits, len(leaves)+1), Nodes: under})
	}
	return leaves
}
