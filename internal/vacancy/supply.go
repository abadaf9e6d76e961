package vacancy

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/supply"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// Cluster has the GPUs that SLURM can still give to jobs, by partition and by node.
type Cluster struct {
	Time       time.Time   `json:"time"`
	Partitions []Partition `json:"partitions"`
	Nodes      []Supply    `json:"nodes"`
}

// Partition is the supply of a partition, by GRES type.
type Partition struct {
	Name    string  `json:"name"`
	Default bool    `json:"default,omitempty"`
	State   string  `json:"state"` // as sinfo names it: "up", …
	GPUs    []Count `json:"gpus"`
}

// Supply is the supply of a node, by GRES type.
type Supply struct {
	Name       string   `json:"name"`
	States     []string `json:"states"`
	Silent     bool     `json:"not_responding,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Partitions []string `json:"partitions"`
	GPUs       []Count  `json:"gpus"`
}

// Count is GPUs of one GRES type. Each is either free, used or out.
type Count struct {
	Type string `json:"type,omitempty"` // "" if the GPUs have no type
	Free int    `json:"free"`           // a job can ask for them now
	Used int    `json:"used"`           // allocated to jobs
	// neither: the node is down, drained or reserved, has no CPU or memory left, or does not report its allocation
	Out   int `json:"out"`
	Total int `json:"total"`
}

// maxWord and maxReason limit names and sentences of SLURM, in bytes.
const maxWord, maxReason = 256, 1024

// CountSupply counts the GPUs of a cluster.
func CountSupply(s *supply.Supply, at time.Time) *Cluster {
	c := &Cluster{Time: at, Partitions: []Partition{}, Nodes: []Supply{}}
	places, open := map[string]int{}, map[string]bool{} // open: on a node of a partition that is up
	for i := range s.Nodes {
		places[s.Nodes[i].Name] = i
		c.Nodes = append(c.Nodes, supplyOf(&s.Nodes[i]))
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		out := Partition{Name: safe.Line(p.Name, maxWord), Default: p.Default, State: safe.Line(p.State, maxWord),
			GPUs: []Count{}}
		sums := map[string]Count{}
		for _, name := range slices.Compact(slices.Sorted(slices.Values(p.Nodes))) {
			at, known := places[name]
			if !known {
				continue
			}
			node := &c.Nodes[at]
			node.Partitions = append(node.Partitions, out.Name)
			open[name] = open[name] || p.State == "up"
			for _, g := range node.GPUs {
				sums[g.Type] = sums[g.Type].plus(g, p.State == "up")
			}
		}
		for _, typ := range slices.Sorted(maps.Keys(sums)) {
			out.GPUs = append(out.GPUs, sums[typ])
		}
		c.Partitions = append(c.Partitions, out)
	}
	for i := range c.Nodes {
		c.Nodes[i].openTo(open[c.Nodes[i].Name])
	}
	return c
}

// openTo notes whether a partition gives the GPUs of the node to jobs.
func (s *Supply) openTo(jobs bool) {
	for i, g := range s.GPUs {
		s.GPUs[i] = Count{Type: g.Type}.plus(g, jobs)
	}
}

// plus adds the GPUs of a node. In a partition that is not up nothing is free.
func (c Count) plus(g Count, up bool) Count {
	if !up {
		g.Free, g.Out = 0, g.Out+g.Free
	}
	return Count{g.Type, c.Free + g.Free, c.Used + g.Used, c.Out + g.Out, c.Total + g.Total}
}

func supplyOf(n *supply.NodeGPUs) Supply {
	s := Supply{Name: n.Name, States: []string{}, Silent: n.Silent, Reason: safe.Line(n.Reason, maxReason),
		Partitions: []string{}}
	for _, state := range n.States {
		s.States = append(s.States, strings.ToLower(safe.Line(state, maxWord)))
	}
	for _, t := range n.Types {
		g := Count{Type: safe.Line(t.Name, maxWord), Total: t.Total}
		rest := t.Total
		if t.Known {
			g.Used = t.Used
			rest -= t.Used
		}
		if t.Known && !n.Full && !n.Silent && !slices.ContainsFunc(n.States, closes) {
			g.Free = rest
		} else {
			g.Out = rest
		}
		s.GPUs = append(s.GPUs, g)
	}
	return s
}

// closing are the beginnings of the states in which a node takes no jobs. A node that is planned for a job takes other
// jobs that end before that one begins, and a node that is switched off to save power is switched on for a job.
var closing = []string{"DOWN", "DRAIN", "FAIL", "ERROR", "FUTURE", "INVAL", "MAINT", "RESERVED", "NOT_RESPONDING",
	"NO_RESPOND", "REBOOT", "BLOCKED", "UNKNOWN", "POWERING_DOWN", "PERFCTRS"}

func closes(state string) bool {
	return slices.ContainsFunc(closing, func(begin string) bool { return strings.HasPrefix(state, begin) })
}

// WriteJSON writes the document, indented, with a newline at its end.
func (c *Cluster) WriteJSON(w io.Writer) error {
	return text.WriteJSON(w, "  ", c)
}

// The columns of the tables.
var (
	partitionColumns = []column{{"PARTITION", false}, {"TYPE", false}, {"FREE", true}, {"USED", true}, {"OUT", true},
		{"TOTAL", true}, {"STATE", false}}
	supplyColumns = []column{{"NODE", false}, {"TYPE", false}, {"FREE", true}, {"USED", true}, {"OUT", true},
		{"TOTAL", true}, {"STATE", false}, {"PARTITIONS", false}}
)

// Text writes a table of the partitions and one of the nodes.
func (c *Cluster) Text(w io.Writer, theme *draw.Theme) error {
	if len(c.Nodes) == 0 {
		_, err := io.WriteString(w, "SLURM has no node with GPUs\n")
		return err
	}
	partitions, nodes := &table{columns: partitionColumns}, &table{columns: supplyColumns}
	for i := range c.Partitions {
		p := &c.Partitions[i]
		name := p.Name
		if p.Default {
			name += "*"
		}
		for _, g := range p.GPUs {
			partitions.count(g, name, p.State)
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		state := strings.Join(n.States, "+")
		if n.Silent {
			state += ", not responding"
		}
		for _, g := range n.GPUs {
			nodes.count(g, n.Name, state, strings.Join(n.Partitions, ","))
		}
	}
	_, err := io.WriteString(w, partitions.encode(theme)+"\n\n"+nodes.encode(theme)+"\n")
	return err
}

// count adds the row of a count.
func (t *table) count(g Count, name string, more ...string) {
	role := draw.Text
	if g.Free > 0 {
		role = draw.Green
	}
	typ := g.Type
	if typ == "" {
		typ = "gpu"
	}
	t.add(role, append([]string{name, typ, strconv.Itoa(g.Free), strconv.Itoa(g.Used), strconv.Itoa(g.Out),
		strconv.Itoa(g.Total)}, more...)...)
}
