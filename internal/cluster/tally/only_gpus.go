package tally

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Only names the GPUs to show. Each name is its number ("3", "3:1" for a MIG instance), its UUID or the beginning of
// it, or its PCI bus ID. The empty Only shows all.
type Only []string

var (
	numberForm = regexp.MustCompile(`^[0-9]+(:[0-9]+)?$`)
	uuidForm   = regexp.MustCompile(`^(?i:GPU|MIG)-[0-9a-fA-F/-]+$`)
	busForm    = regexp.MustCompile(`^(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])$`)
)

// NamesGPU reports whether a name can be the name of a GPU.
func NamesGPU(name string) bool {
	return numberForm.MatchString(name) || uuidForm.MatchString(name) || busForm.MatchString(name)
}

// Shows reports whether a GPU is one of these. If a GPU is shown, so are its instances.
func (o Only) Shows(g *cluster.GPU) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(name string) bool { return isNamed(g, name) })
}

// ShowsProcess reports whether a process of a node is on a shown GPU, or on no known GPU.
func (o Only) ShowsProcess(n *cluster.Node, id wire.ProcessID) bool {
	hidden := false
	for i := range n.Processes {
		p := &n.Processes[i]
		if len(o) == 0 || idOfProcess(p) != id {
			continue
		}
		if g := n.GPUAt(p.GPU); g == nil || o.Shows(g) {
			return true
		}
		hidden = true
	}
	return !hidden
}

func isNamed(g *cluster.GPU, name string) bool {
	switch {
	case numberForm.MatchString(name):
		number, instance, one := strings.Cut(name, ":")
		if number != strconv.Itoa(g.Number) {
			return false
		}
		return !one || g.Instance() && instance == strconv.Itoa(g.Card.Instance.Index)
	case uuidForm.MatchString(name):
		return hasPrefix(g.Card.UUID, name) || g.Instance() && hasPrefix(g.Card.Instance.Parent, name)
	}
	return g.Card.PCIBus != "" && normalizeBusID(g.Card.PCIBus) == normalizeBusID(name)
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// normalizeBusID returns a PCI bus ID in a common form: NVML writes eight digits for the domain, the kernel four,
// people none.
func normalizeBusID(id string) string {
	m := busForm.FindStringSubmatch(id)
	if m == nil {
		return id
	}
	return strings.ToLower(strings.TrimLeft(m[1], "0") + ":" + m[2])
}
