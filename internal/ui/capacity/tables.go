package capacity

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/capacity"
	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/layout"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

type col = layout.Key

const (
	colPartition col = "partition"
	colNode      col = "node"
	colType      col = "type"
	colFree      col = "free"
	colInUse     col = "used"
	colOut       col = "out"
	colTotal     col = "total"
	colState     col = "state"
	colUser      col = "user"
	colJob       col = "job"
	colReason    col = "reason"

	colNodes  col = "nodes"
	colGPUs   col = "gpus"
	colGPU    col = "gpu"
	colTime   col = "elapsed_seconds"
	colLeft   col = "left_seconds"
	colIdle   col = "idle_seconds"
	colMemory col = "memory_used_bytes"
	colModel  col = "gpu_name"
)

var partitionColumns = layout.Of(&rows.Partitions, []layout.Column{
	{Key: colPartition, Priority: 1},
	{Key: colType, Gap: 2, Priority: 2},
	{Key: colFree, Gap: 2, Priority: 1},
	{Key: colInUse, Gap: 2, Priority: 2},
	{Key: colOut, Gap: 2, Priority: 3},
	{Key: colTotal, Gap: 2, Priority: 3},
	{Key: colState, Gap: 2, Least: 11, Priority: 4},
})

var partitionGrowth = []layout.Stage{layout.To(12, colType), layout.To(16, colPartition), layout.To(16, colType),
	layout.To(30, colPartition)}

var nodeColumns = layout.Of(&rows.ClusterNodes, []layout.Column{
	{Key: colNode, Priority: 1},
	{Key: colType, Gap: 2, Priority: 2},
	{Key: colFree, Gap: 2, Priority: 1},
	{Key: colInUse, Gap: 2, Priority: 3},
	{Key: colOut, Gap: 2, Priority: 7},
	{Key: colTotal, Gap: 2, Priority: 6},
	{Key: colState, Gap: 2, Least: 10, Priority: 2},
	{Key: colUser, Gap: 2, Priority: 4},
	{Key: colJob, Gap: 2, Least: 18, Priority: 11},
	{Key: colPartition, Gap: 2, Priority: 10},
	{Key: colReason, Gap: 2, Least: 16, Priority: 5},
})

var nodeGrowth = []layout.Stage{layout.To(12, colNode), layout.To(12, colType),
	layout.To(12, colUser), layout.To(20, colReason), layout.To(14, colState), layout.To(16, colUser),
	layout.To(20, colNode), layout.To(30, colReason), layout.To(20, colPartition, colJob), layout.Rest(colReason)}

func partitionLayout(width int) layout.Layout {
	return layout.Fit(width, partitionColumns, partitionGrowth, 3)
}

func nodeLayout(width int) layout.Layout {
	return layout.Fit(width, nodeColumns, nodeGrowth, 3)
}

// partitionTable is the table of the GPUs of partitions.
type partitionTable struct{ layout.Sheet }

func newPartitionTable(f *part.Frame) *partitionTable {
	return &partitionTable{layout.Sheet{Columns: partitionColumns, Layout: partitionLayout(f.W)}}
}

// Row draws the GPUs of a partition, or of all nodes, in row y.
func (t *partitionTable) Row(f *part.Frame, y int, p *capacity.PartitionGPUs, selected bool) {
	role := draw.Text
	if p.Partition == nil {
		role = draw.Strong
	}
	counts(f, y, t.Layout, &rows.Partitions, p, &p.Count, role)
	f.Text(t.Layout[colPartition], y, rows.Partitions.Field(colPartition).Text(p), role)
	f.Text(t.Layout[colState], y, rows.Partitions.Field(colState).Text(p), draw.Dim)
	choose(f, y, selected)
}

// nodeTable is the table of the GPUs of the cluster's nodes, of which those of the user's jobs are marked.
type nodeTable struct {
	layout.Sheet
	own map[string]bool
}

func newNodeTable(f *part.Frame) *nodeTable {
	return &nodeTable{layout.Sheet{Columns: nodeColumns, Layout: nodeLayout(f.W)}, ownNodes(f.Snap)}
}

// Row draws the GPUs of a node in row y.
func (t *nodeTable) Row(f *part.Frame, y int, n *capacity.NodeGPUs, selected bool) {
	l, role := t.Layout, draw.Text
	if t.own[n.Name] {
		role = draw.Strong
	}
	counts(f, y, l, &rows.ClusterNodes, n, &n.Count, draw.Text)
	f.Text(l[colNode], y, draw.ClipMiddle(n.Name, l[colNode].W), role)
	state := draw.Text
	if n.Out == n.Total {
		state = draw.Dim
	}
	f.Text(l[colState], y, n.Words(), state)
	f.Text(l[colUser], y, listed(n.Users, l[colUser].W), draw.Text)
	f.Text(l[colJob], y, listed(n.Jobs, l[colJob].W), draw.Text)
	f.Text(l[colPartition], y, listed(n.Partitions, l[colPartition].W), draw.Dim)
	f.Text(l[colReason], y, n.Reason, draw.Text)
	choose(f, y, selected)
}

// counts draws the type and the numbers of GPUs: those that are free stand out, and a 0 does not.
func counts[Row any](f *part.Frame, y int, l layout.Layout, of *field.Table[Row], r *Row, c *capacity.Count,
	role draw.Role) {
	f.Text(l[colType], y, of.Field(colType).Text(r), role)
	for key, n := range map[col]int{colFree: c.Free, colInUse: c.Used, colOut: c.Out, colTotal: c.Total} {
		role := role
		switch {
		case n == 0:
			role = draw.Dim
		case key == colFree:
			role = draw.Strong
		}
		f.Number(l[key], y, strconv.Itoa(n), role)
	}
}

// choose marks a row that is selected.
func choose(f *part.Frame, y int, selected bool) {
	if selected {
		f.Put(0, y, "▸", draw.Strong)
		f.Select(y, 0, f.W)
	}
}

// listed names things in w columns, and counts those without room; "" if there are none.
func listed(names []string, w int) string {
	if len(names) == 0 {
		return ""
	}
	return table.Names(names, w)
}
