package export

import (
	_ "embed"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// CSV writes a line of names, and a line for each GPU and MIG instance of the nodes that have numbers. The first
// columns identify the GPU. The metrics of the table follow, named by their keys. An unknown value is an empty cell.
// docs/commands/snapshot.md describes the columns.
func CSV(w io.Writer, s *cluster.Snapshot) error {
	out := csv.NewWriter(w)
	line := append([]string{}, csvNames...)
	for _, id := range csvMetrics {
		line = append(line, id.Row().Key)
	}
	_ = out.Write(line) // the writer keeps its first error
	names, jobs := jobsByNode(s)
	for _, name := range names {
		n := tally.Node(s, name)
		if !tally.HasNumbers(n) {
			continue
		}
		for i := range n.GPUs {
			line = appendFacts(line[:0], s, n, &n.GPUs[i], jobs[name])
			line = appendValues(line, &n.GPUs[i])
			_ = out.Write(line)
		}
	}
	out.Flush()
	return out.Error()
}

// csvNames are the columns before those of the metrics.
var csvNames = []string{
	"time", "node", "node_state", "age_seconds", "driver_version", "gpu", "uuid", "name", "pci_bus", "serial", "mig",
	"mig_parent", "jobs", "users", "lost", "hangs_seconds",
}

// appendFacts appends the cells of csvNames.
func appendFacts(line []string, s *cluster.Snapshot, n *cluster.Node, g *cluster.GPU,
	jobs []*cluster.JobView) []string {
	driver, mig, parent, hangs := "", "", "", ""
	if n.Hello != nil {
		driver = n.Hello.Driver
	}
	if g.Card.MIG {
		mig = "1"
	}
	if g.Instance() {
		parent = g.Card.Instance.Parent
	}
	if g.HangsMS > 0 {
		hangs = formatDecimal(float64(g.HangsMS) / 1000)
	}
	var ids, users []string
	for _, j := range gpuOwners(n, g, jobs) {
		ids, users = append(ids, j.ID), append(users, j.User)
	}
	return append(line,
		s.At.Format(time.RFC3339Nano), text.Cell(n.Name), string(n.State), formatDecimal(ageOf(n)), text.Cell(driver),
		text.Cell(tally.NumberText(g)), text.Cell(g.Card.UUID),
		text.Cell(g.Card.Name), text.Cell(g.Card.PCIBus), text.Cell(g.Card.Serial), mig, text.Cell(parent),
		text.Cell(strings.Join(ids, " ")), text.Cell(strings.Join(users, " ")), text.Cell(tally.Lost(g)), hangs)
}

// columnOrder has the keys of the metrics in the order of their columns, oldest first, so that each column keeps its
// place.
//
//go:embed columns.txt
var columnOrder string

// csvMetrics are the metrics in the order of their columns. A new metric comes last, even if it is among related
// metrics in the table.
var csvMetrics = func() (all []metric.ID) {
	for key := range strings.FieldsSeq(columnOrder) {
		if id, known := metric.Find(key, metric.GPU); known {
			all = append(all, id)
		}
	}
	for id := range metric.All(metric.GPU) {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}()

// none marks an empty list. An empty cell would mean that the list is unknown.
const none = "none"

// appendValues appends the metrics.
func appendValues(line []string, g *cluster.GPU) []string {
	for _, id := range csvMetrics {
		v, known := g.Get(id)
		text := ""
		switch {
		case !known:
		case id.Row().Unit != metric.Bits:
			text = formatDecimal(v)
		case v == 0:
			text = none
		case id == metric.Throttle:
			text = strings.Join(wire.ReasonNames(uint64(v)), " ")
		default:
			for _, bit := range bitNumbers(uint64(v)) {
				text += " " + strconv.Itoa(bit)
			}
			text = text[1:]
		}
		line = append(line, text)
	}
	return line
}

func formatDecimal(v float64) string { return string(metric.AppendNumber(nil, v)) }
