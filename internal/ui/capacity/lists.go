package capacity

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// typeKey identifies the GPUs of one type in a partition or a node.
type typeKey struct{ name, typ string }

type (
	partitions = list.List[capacity.PartitionGPUs, typeKey]
	nodes      = list.List[capacity.NodeGPUs, typeKey]
)

func (p *Page) footerHints(of capacityView) []keys.Hint {
	return []keys.Hint{keys.HintOf(keys.Open), keys.HintOf(keys.Grid).As(words[p.nextView(of)]), keys.HintOf(keys.Worst),
		keys.HintOf(keys.Filter), keys.HintOf(keys.Refresh)}
}

func newPartitions(p *Page, past *footer.History) *partitions {
	return list.New(past, list.Of[capacity.PartitionGPUs, typeKey]{
		Name: func(*part.Scene) string { return "Cluster · GPUs by partition" }, Noun: "partitions",
		Rows: func(*part.Scene) []capacity.PartitionGPUs {
			if p.known == nil {
				return nil
			}
			return p.known.ByPartition()
		},
		Version: p.listVersion,
		Key: func(r *capacity.PartitionGPUs) typeKey {
			if r.Partition == nil {
				return typeKey{typ: r.Type}
			}
			return typeKey{r.Name, r.Type}
		},
		Class: func(r *capacity.PartitionGPUs) int {
			if r.Partition == nil {
				return 0
			}
			return 1
		},
		Reads: list.By(&rows.Partitions, func(*part.Scene) func(*capacity.PartitionGPUs) *capacity.PartitionGPUs {
			return func(r *capacity.PartitionGPUs) *capacity.PartitionGPUs { return r }
		}),
		Orders: []list.Order[capacity.PartitionGPUs]{{Column: "partition", Words: "name", AsListed: true},
			{Column: "type"}, {Column: "free"}, {Column: "used"}, {Column: "out"}, {Column: "total"},
			{Column: "state"}},
		Usual:  []string{"partition", "free", "type"},
		Above:  func(f *part.Frame, _ *list.View[capacity.PartitionGPUs]) []string { return p.noticeLines(f.W) },
		Open:   p.openPartition,
		Place:  p.partitionRows,
		Header: p.drawHeader, None: p.whyEmpty,
		Table: func(f *part.Frame, _ *list.View[capacity.PartitionGPUs]) list.Table[capacity.PartitionGPUs] {
			return newPartitionTable(f)
		},
		Hints: p.footerHints(byPartition),
	})
}

func newNodes(p *Page, past *footer.History) *nodes {
	return list.New(past, list.Of[capacity.NodeGPUs, typeKey]{
		Name: func(*part.Scene) string { return "Cluster · GPUs by node" }, Noun: "nodes",
		Rows: func(*part.Scene) []capacity.NodeGPUs {
			if p.known == nil {
				return nil
			}
			return p.known.ByNode()
		},
		Version: p.listVersion,
		Key:     func(r *capacity.NodeGPUs) typeKey { return typeKey{r.Name, r.Type} },
		Reads: list.By(&rows.ClusterNodes, func(*part.Scene) func(*capacity.NodeGPUs) *capacity.NodeGPUs {
			return func(r *capacity.NodeGPUs) *capacity.NodeGPUs { return r }
		}),
		Orders: []list.Order[capacity.NodeGPUs]{{Column: "node", Words: "name", AsListed: true}, {Column: "type"},
			{Column: "free"}, {Column: "used"}, {Column: "out"}, {Column: "total"}, {Column: "state"},
			{Column: "reason"}},
		Usual:  []string{"node", "free", "used", "out"},
		Above:  func(f *part.Frame, _ *list.View[capacity.NodeGPUs]) []string { return p.noticeLines(f.W) },
		Open:   openNode,
		Opens:  func(s *part.Scene, r *capacity.NodeGPUs) string { return opensOf(s, r.Name) },
		Header: p.drawHeader, None: p.whyEmpty,
		Table: func(f *part.Frame, _ *list.View[capacity.NodeGPUs]) list.Table[capacity.NodeGPUs] {
			return newNodeTable(f)
		},
		Detail: p.fullNode,
		Hints:  p.footerHints(byNode),
	})
}

// ownNodes are the nodes of the user's jobs.
func ownNodes(s *cluster.Snapshot) map[string]bool {
	own := map[string]bool{}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			own[name] = true
		}
	}
	return own
}

// openPartition shows the nodes of a partition that have its type of GPU.
func (p *Page) openPartition(s *part.Scene, r *capacity.PartitionGPUs) nav.Answer {
	filter := "type==" + quoteWord(rows.Partitions.Field("type").Text(r))
	if r.Partition != nil {
		filter = "partition==" + quoteWord(r.Name) + " " + filter
	}
	p.on, p.into = byNode, true
	p.nodes.Filter.Set("", filter)
	p.nodes.Top()
	return p.nodes.GoTo(s, 0)
}

func quoteWord(word string) string { return `"` + strings.ReplaceAll(word, `"`, "") + `"` }

// openNode goes to a node of the user's jobs.
func openNode(s *part.Scene, r *capacity.NodeGPUs) nav.Answer {
	return openNodeOf(s, nav.Go{Page: keys.OnNode}, r.Name)
}

// opensOf says in a word what openNodeOf opens, or that it says why nothing opens.
func opensOf(s *part.Scene, nodes ...string) string {
	if openNodeOf(s, nav.Go{Page: keys.OnNode}, nodes...).Page == "" {
		return "why not"
	}
	return keys.Open.Help().Desc
}

// openNodeOf goes to the first of these nodes that is read.
func openNodeOf(s *part.Scene, to nav.Go, nodes ...string) nav.Answer {
	for _, node := range nodes {
		for i := range s.Snap.Jobs {
			if j := &s.Snap.Jobs[i]; slices.Contains(j.Nodes, node) {
				to.Job, to.Node = j.ID, node
				return nav.To(to)
			}
		}
	}
	const room = 40
	text := "SLURM names no node of this job"
	switch len(nodes) {
	case 0:
	case 1:
		text = nodes[0] + " has no job of yours: nvnodetop does not log in there"
	default:
		text = table.Names(nodes, room) + " have no job of yours: nvnodetop does not log in there"
	}
	return nav.Answer{Taken: true, Notice: text}
}
