package vacancy

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
)

// Cluster writes the tables of a cluster: one for the partitions and one for the nodes. What SLURM does not say is
// noted in a line.
func Cluster(w io.Writer, c *capacity.Cluster, theme *draw.Theme) error {
	if len(c.Nodes) == 0 {
		_, err := io.WriteString(w, "SLURM shows you no node with GPUs\n")
		return err
	}
	free := func(g *capacity.Count) draw.Role {
		if g.Free > 0 {
			return draw.Green
		}
		return draw.Text
	}
	parts := []string{
		fieldTable(&rows.Partitions, c.ByPartition(),
			func(p *capacity.PartitionGPUs) draw.Role { return free(&p.Count) }).encodeTable(theme),
		fieldTable(&rows.ClusterNodes, c.ByNode(),
			func(n *capacity.NodeGPUs) draw.Role { return free(&n.Count) }).encodeTable(theme),
	}
	parts = append(parts, c.Untold()...)
	_, err := io.WriteString(w, strings.Join(parts, "\n\n")+"\n")
	return err
}

// fieldTable returns the table of the fields for which there are columns.
func fieldTable[Row any](of *field.Table[Row], list []Row, role func(*Row) draw.Role) *coloredTable {
	t := newTable(nil)
	shown := slices.DeleteFunc(slices.Clone(of.Fields), func(f field.Field[Row]) bool { return f.Title == "" })
	for _, f := range shown {
		t.Columns = append(t.Columns, text.Column{Head: strings.ToUpper(f.Title), Right: f.Right()})
	}
	var values []field.Value
	for i := range list {
		var cells []string
		for j := range shown {
			values = shown[j].Values(&list[i], values[:0])
			cells = append(cells, joinValues(values, shown[j].Unit))
		}
		t.addRow(role(&list[i]), cells...)
	}
	return t
}

// joinValues returns the values of a cell, with commas between them.
func joinValues(values []field.Value, unit field.Unit) string {
	var texts []string
	for _, v := range values {
		if unit == field.Text {
			texts = append(texts, v.Text)
		} else {
			texts = append(texts, strconv.Itoa(int(v.Number)))
		}
	}
	return strings.Join(texts, ",")
}
