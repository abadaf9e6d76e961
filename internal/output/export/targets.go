package export

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

// targets are the subjects of samples: all nodes, and the GPUs and MIG instances of reporting nodes.
type targets struct {
	nodes []nodeTarget
	gpus  []gpuTarget
}

type nodeTarget struct {
	node   *cluster.Node
	fresh  bool // it reports: Prometheus would take old numbers for those of now
	labels string
}

type gpuTarget struct {
	gpu    *cluster.GPU
	node   *cluster.Node
	jobs   []*cluster.JobView // of the node
	labels string
	names  Names
}

func newTargets(s *cluster.Snapshot, names Names) *targets {
	t := &targets{}
	order, jobs := jobsByNode(s)
	for _, name := range order {
		n := tally.Node(s, name)
		fresh := n.State == cluster.NodeReporting
		t.nodes = append(t.nodes, nodeTarget{n, fresh, string(labels("").add(hostLabel(names), name))})
		if fresh {
			t.addGPUs(n, jobs[name], names)
		}
	}
	return t
}

// addGPUs adds the GPUs of a node. If a node gives two GPUs the same name, the second is left out: Prometheus would
// refuse the whole output.
func (t *targets) addGPUs(n *cluster.Node, jobs []*cluster.JobView, names Names) {
	taken := map[string]bool{}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		l := gpuLabels(n, g, names)
		if !taken[l] {
			taken[l] = true
			t.gpus = append(t.gpus, gpuTarget{g, n, jobs, l, names})
		}
	}
}

func hostLabel(names Names) string {
	if names == DCGMNames {
		return "Hostname"
	}
	return "node"
}

// gpuLabels identify a GPU in all its samples. Those of dcgm-exporter also describe it.
func gpuLabels(n *cluster.Node, g *cluster.GPU, names Names) string {
	if names != DCGMNames {
		return string(labels("").add("node", n.Name).add("gpu", tally.NumberText(g)))
	}
	var l labels
	if g.Number != cluster.NoNumber {
		number := strconv.Itoa(g.Number)
		l = l.add("gpu", number).add("device", "nvidia"+number)
	}
	l = l.add("UUID", g.Key).add("pci_bus_id", g.Card.PCIBus).add("modelName", g.Card.Name).add("Hostname", n.Name)
	if n.Hello != nil {
		l = l.add("DCGM_FI_DRIVER_VERSION", n.Hello.Driver)
	}
	if i := g.Card.Instance; i != nil {
		_, profile, _ := strings.Cut(g.Card.Name, " MIG ")
		l = l.add("GPU_I_PROFILE", profile).add("GPU_I_ID", strconv.Itoa(i.GPU))
	}
	return string(l)
}

// info describes the GPU, in labels that its samples do not have.
func (t *gpuTarget) info() string {
	c := t.gpu.Card
	var l labels
	if t.names != DCGMNames {
		l = l.add("uuid", c.UUID).add("name", c.Name).add("pci_bus_id", c.PCIBus)
		if c.Instance != nil {
			l = l.add("mig_parent", c.Instance.Parent)
		}
	}
	return l.add("serial", c.Serial).add("vbios_version", c.VBIOS).add("compute_capability", c.Capability).tail()
}
