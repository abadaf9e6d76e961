package export

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

// targets are what samples are about: all nodes, and the GPUs and MIG instances of reporting nodes.
type targets struct {
	nodes []nodeTarget
	gpus  []gpuTarget
}

type nodeTarget struct {
	node   *cluster.Node
	fresh  bool // it reports: Prometheus would mistake old numbers for current ones
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
		t.nodes = append(t.nodes, nodeTarget{n, fresh, string(labels("").addPair(hostLabel(names), name))})
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

// gpuLabels returns the labels that identify a GPU in all its samples. Those of dcgm-exporter also describe the GPU.
func gpuLabels(n *cluster.Node, g *cluster.GPU, names Names) string {
	if names != DCGMNames {
		return string(labels("").addPair("node", n.Name).addPair("gpu", tally.NumberText(g)))
	}
	var l labels
	if g.Number != cluster.NoNumber {
		number := strconv.Itoa(g.Number)
		l = l.addPair("gpu", number).addPair("device", "nvidia"+number)
	}
	l = l.addPair("UUID", g.Key).addPair("pci_bus_id", g.Card.PCIBus).addPair("modelName",
		g.Card.Name).addPair("Hostname", n.Name)
	if n.Hello != nil {
		l = l.addPair("DCGM_FI_DRIVER_VERSION", n.Hello.Driver)
	}
	if i := g.Card.Instance; i != nil {
		_, profile, _ := strings.Cut(g.Card.Name, " MIG ")
		l = l.addPair("GPU_I_PROFILE", profile).addPair("GPU_I_ID", strconv.Itoa(i.GPU))
	}
	return string(l)
}

// infoLabels returns labels that describe the GPU and that its samples do not have.
func (t *gpuTarget) infoLabels() string {
	c := t.gpu.Card
	var l labels
	if t.names != DCGMNames {
		l = l.addPair("uuid", c.UUID).addPair("name", c.Name).addPair("pci_bus_id", c.PCIBus)
		if c.Instance != nil {
			l = l.addPair("mig_parent", c.Instance.Parent)
		}
	}
	return l.addPair("serial", c.Serial).addPair("vbios_version", c.VBIOS).addPair("compute_capability",
		c.Capability).withComma()
}
