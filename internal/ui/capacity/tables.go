package capacity

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

type col = table.ColumnKey

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

var partitionColumns = rows.ColumnsFor(&rows.Partitions,
	rows.Column{Key: colPartition, Priority: 1},
	rows.Column{Key: colType, Gap: 2, Priority: 2},
	rows.Column{Key: colFree, Gap: 2, Priority: 1},
	rows.Column{Key: colInUse, Gap: 2, Priority: 2},
	rows.Column{Key: colOut, Gap: 2, Priority: 3},
	rows.Column{Key: colTotal, Gap: 2, Priority: 3},
	rows.Column{Key: colState, Gap: 2, Least: 11, Priority: 4},
)

var partitionGrowth = []table.GrowthStage{table.GrowTo(12, colType), table.GrowTo(16, colPartition),
	table.GrowTo(16, colType), table.GrowTo(30, colPartition)}

var nodeColumns = rows.ColumnsFor(&rows.ClusterNodes,
	rows.Column{Key: colNode, Priority: 1},
	rows.Column{Key: colType, Gap: 2, Priority: 2},
	rows.Column{Key: colFree, Gap: 2, Priority: 1},
	rows.Column{Key: colInUse, Gap: 2, Priority: 3},
	rows.Column{Key: colOut, Gap: 2, Priority: 7},
	rows.Column{Key: colTotal, Gap: 2, Priority: 6},
	rows.Column{Key: colState, Gap: 2, Least: 10, Priority: 2},
	rows.Column{Key: colUser, Gap: 2, Priority: 4},
	rows.Column{Key: colJob, Gap: 2, Least: 18, Priority: 11},
	rows.Column{Key: colPartition, Gap: 2, Priority: 10},
	rows.Column{Key: colReason, Gap: 2, Least: 16, Priority: 5},
)

var nodeGrowth = []table.GrowthStage{table.GrowTo(12, colNode), table.GrowTo(12, colType),
	table.GrowTo(12, colUser), table.GrowTo(20, colReason), table.GrowTo(14, colState), table.GrowTo(16, colUser),
	table.GrowTo(20, colNode), table.GrowTo(30, colReason), table.GrowTo(20, colPartition, colJob),
	table.GrowRest(colReason)}

func partitionLayout(width int) table.Layout {
	return table.FitColumns(width, partitionColumns, partitionGrowth, 3)
}

func nodeLayout(width int) table.Layout {
	return table.FitColumns(width, nodeColumns, nodeGrowth, 3)
}

// newPartitionTable returns the table of the GPUs of partitions. The row for all nodes stands out.
func newPartitionTable(f *part.Frame) *fieldTable[capacity.PartitionGPUs] {
	role := func(p *capacity.PartitionGPUs, key col) draw.Role {
		base := draw.Text
		if p.Partition == nil {
			base = draw.Strong
		}
		if key == colState {
			return draw.Dim
		}
		return ofCount(&p.Count, key, base)
	}
	return &fieldTable[capacity.PartitionGPUs]{table.Sheet{Columns: partitionColumns, Layout: partitionLayout(f.W)},
		&rows.Partitions, role}
}

// newNodeTable returns the table of the GPUs of the cluster's nodes. The nodes of the user's jobs stand out.
func newNodeTable(f *part.Frame) *fieldTable[capacity.NodeGPUs] {
	own := ownNodes(f.Snap)
	role := func(n *capacity.NodeGPUs, key col) draw.Role {
		switch {
		case key == colNode && own[n.Name]:
			return draw.Strong
		case key == colPartition, key == colState && n.Out == n.Total:
			return draw.Dim
		}
		return ofCount(&n.Count, key, draw.Text)
	}
	return &fieldTable[capacity.NodeGPUs]{table.Sheet{Columns: nodeColumns, Layout: nodeLayout(f.W)},
		&rows.ClusterNodes, role}
}

// ofCount is the role of a number of GPUs: free GPUs stand out, and a 0 does not.
func ofCount(c *capacity.Count, key col, role draw.Role) draw.Role {
	n, is := map[col]int{colFree: c.Free, colInUse: c.Used, colOut: c.Out, colTotal: c.Total}[key]
	switch {
	case !is:
		return role
	case n == 0:
		return draw.Dim
	case key == colFree:
		return draw.Strong
	}
	return role
}

// fieldTable is a table whose columns show the fields of its rows unchanged.
type fieldTable[Row any] struct {
	table.Sheet
	fields *field.Table[Row]
	role   func(r *Row, key col) draw.Role // nil: all are plain
}

// Row draws a row in row y.
func (t *fieldTable[Row]) Row(f *part.Frame, y int, r *Row, selected bool) {
	for i := range t.fields.Fields {
		of := &t.fields.Fields[i]
		s, role := t.Layout[of.Key], draw.Text
		if !s.Shown() {
			continue
		}
		if t.role != nil {
			role = t.role(r, of.Key)
		}
		switch {
		case of.Each != nil:
			var names []string
			for _, v := range of.Each(r, nil) {
				names = append(names, v.Text)
			}
			f.Text(s, y, namesText(slices.Compact(names), s.W), role)
		case of.Key == colNode:
			f.Text(s, y, draw.ClipMiddle(of.Text(r), s.W), role)
		default:
			table.Cell(f, s, y, of, r, role)
		}
	}
	if selected {
		f.Cursor(y, y+1)
	}
}

// namesText lists names in w columns, and counts those that do not fit; "" if there are none.
func namesText(names []string, w int) string {
	if len(names) == 0 {
		return ""
	}
	return table.Names(names, w)
}
