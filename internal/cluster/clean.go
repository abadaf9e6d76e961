package cluster

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Caps on what one node or SLURM may make us keep: far above the real thing, far below trouble.
const (
	maxName   = 256  // bytes of a name, a model, a version
	maxWords  = 4096 // bytes of somebody's own words
	maxGPUs   = 256  // a node
	maxFaults = 32   // a report
)

// clean makes a string fit for a screen: escape sequences leave, every other character that a terminal would act on becomes '?',
// bytes that are not UTF-8 become the replacement character, and what is longer than limit bytes is cut at a character.
func clean(s string, limit int) string {
	if plain(s) && len(s) <= limit {
		return s
	}
	s = strings.Map(harmless, ansi.Strip(strings.ToValidUTF8(s, "\uFFFD")))
	return text.Cut(s, limit)
}

// plain reports whether s is printable ASCII throughout: nearly every string is, and needs no copy.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// harmless maps the runes that move the cursor, change the direction of writing or are not seen.
func harmless(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return '?'
	}
	return r
}

// cleanWords is clean for text of several lines, which keeps its lines and loses empty ones at its ends.
func cleanWords(s string) string {
	lines := strings.Split(text.Cut(s, maxWords), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(clean(strings.TrimRight(line, "\r"), maxWords), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func cleanFailure(f *reach.Failure) *reach.Failure {
	if f == nil {
		return nil
	}
	c := *f
	c.Short, c.Detail, c.Cause = clean(f.Short, maxName), clean(f.Detail, maxName), clean(f.Cause, maxName)
	c.Words, c.Meaning = cleanWords(f.Words), clean(f.Meaning, maxWords)
	c.Hints = make([]string, len(f.Hints))
	for i, h := range f.Hints {
		c.Hints[i] = clean(h, maxWords)
	}
	return &c
}

// cleanNode is clean for the name of a node: what is left of two equal names is equal, and of a name something is left.
func cleanNode(name string) string {
	if c := clean(name, maxName); c != "" || name == "" {
		return c
	}
	return "?"
}

// cleanNodes cleans the names of a job's nodes. Two that are alike afterwards are one node.
func cleanNodes(names []string) []string {
	out := make([]string, 0, len(names))
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if name = cleanNode(name); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// cleanMinors cleans the names that the numbers are of. Nil stays nil: nothing is known of any node.
func cleanMinors(in map[string][]int) map[string][]int {
	if in == nil {
		return nil
	}
	out := make(map[string][]int, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		c := cleanNode(name)
		out[c] = append(slices.Clip(out[c]), in[name]...)
		if out[c] == nil {
			out[c] = []int{} // known: none
		}
	}
	return out
}

func cleanDiscovery(d *Discovery) Discovery {
	c := *d
	c.Failure = cleanFailure(d.Failure)
	c.Command, c.User, c.Host = clean(d.Command, maxWords), clean(d.User, maxName), clean(d.Host, maxName)
	c.Jobs = make([]Job, len(d.Jobs))
	for i, j := range d.Jobs {
		j.ID, j.Number = clean(j.ID, maxName), clean(j.Number, maxName)
		j.Name, j.User, j.Partition = clean(j.Name, maxName), clean(j.User, maxName), clean(j.Partition, maxName)
		j.Nodes, j.Minors = cleanNodes(j.Nodes), cleanMinors(j.Minors)
		c.Jobs[i] = j
	}
	c.Pending = make([]PendingJob, len(d.Pending))
	for i, p := range d.Pending {
		p.ID = clean(p.ID, maxName)
		p.Name, p.Partition, p.Reason = clean(p.Name, maxName), clean(p.Partition, maxName), clean(p.Reason, maxName)
		c.Pending[i] = p
	}
	return c
}

func cleanHello(h *wire.Hello) *wire.Hello {
	c := *h
	c.Build, c.Host, c.Kernel, c.Job = clean(h.Build, maxName), clean(h.Host, maxName), clean(h.Kernel, maxName), clean(h.Job, maxName)
	c.Driver, c.CUDA, c.Fault, c.FaultID = clean(h.Driver, maxName), clean(h.CUDA, maxName), clean(h.Fault, maxWords), clean(h.FaultID, maxName)
	c.GPUs = make([]wire.Card, min(len(h.GPUs), maxGPUs))
	for i := range c.GPUs {
		g := h.GPUs[i]
		g.UUID, g.Name, g.PCIBus, g.Lost = clean(g.UUID, maxName), clean(g.Name, maxName), clean(g.PCIBus, maxName), clean(g.Lost, maxName)
		c.GPUs[i] = g
	}
	c.Missing = make([]string, min(len(h.Missing), maxFaults))
	for i := range c.Missing {
		c.Missing[i] = clean(h.Missing[i], maxName)
	}
	return &c
}

func cleanProcesses(in []wire.Process) []wire.Process {
	out := make([]wire.Process, min(len(in), wire.MaxProcesses))
	for i := range out {
		p := in[i]
		p.Type, p.User, p.Job = clean(p.Type, maxName), clean(p.User, maxName), clean(p.Job, maxName)
		p.Name, p.Command = clean(p.Name, maxName), clean(p.Command, wire.MaxCommand)
		out[i] = p
	}
	return out
}

func cleanFaults(in []wire.Fault) []wire.Fault {
	out := make([]wire.Fault, min(len(in), maxFaults))
	for i := range out {
		out[i] = wire.Fault{Collector: clean(in[i].Collector, maxName), Error: clean(in[i].Error, maxName)}
	}
	return out
}
