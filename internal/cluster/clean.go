package cluster

import (
	"maps"
	"slices"
	"strings"
	"time"
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
	maxSpan   = time.Hour
)

// clean makes a string fit for a screen: escape sequences leave, every other character that a terminal would act on becomes '?',
// bytes that are not UTF-8 become the replacement character, and what is longer than limit bytes is cut at a character.
func clean(s string, limit int) string {
	if text.Plain(s) && len(s) <= limit {
		return s
	}
	s = strings.Map(harmless, ansi.Strip(strings.ToValidUTF8(s, "\uFFFD")))
	return text.Cut(s, limit)
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

// cleanNames cleans names where they stand.
func cleanNames(names ...*string) {
	for _, s := range names {
		*s = clean(*s, maxName)
	}
}

// cleaned is a copy of the first ones of in, at most most, each of them cleaned.
func cleaned[T any](in []T, most int, clean func(*T)) []T {
	out := slices.Clone(in[:min(len(in), most)])
	for i := range out {
		clean(&out[i])
	}
	return out
}

func cleanFailure(f *reach.Failure) *reach.Failure {
	if f == nil {
		return nil
	}
	c := *f
	cleanNames(&c.Short, &c.Detail, &c.Cause)
	c.Words, c.Meaning = cleanWords(f.Words), clean(f.Meaning, maxWords)
	c.Hints = cleaned(f.Hints, len(f.Hints), func(h *string) { *h = clean(*h, maxWords) })
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
	c.Command = clean(d.Command, maxWords)
	cleanNames(&c.User, &c.Host)
	c.Jobs = cleaned(d.Jobs, len(d.Jobs), func(j *Job) {
		cleanNames(&j.ID, &j.Number, &j.Name, &j.User, &j.Partition)
		j.Nodes, j.Minors = cleanNodes(j.Nodes), cleanMinors(j.Minors)
	})
	c.Pending = cleaned(d.Pending, len(d.Pending), func(p *PendingJob) { cleanNames(&p.ID, &p.Name, &p.Partition, &p.Reason) })
	return c
}

func cleanHello(h *wire.Hello) *wire.Hello {
	c := *h
	cleanNames(&c.Build, &c.Host, &c.Kernel, &c.Job, &c.Driver, &c.CUDA)
	c.Fault, c.FaultID = clean(h.Fault, maxWords), cleanID(h.FaultID, h.Fault, faultIDs)
	c.GPUs = cleaned(h.GPUs, maxGPUs, cleanCard)
	c.Missing = cleaned(h.Missing, maxFaults, func(symbol *string) { cleanNames(symbol) })
	return &c
}

func cleanCard(g *wire.Card) {
	cleanNames(&g.UUID, &g.Name, &g.PCIBus, &g.Lost)
	g.LostID = cleanID(g.LostID, g.Lost, lostIDs)
	g.Index = max(g.Index, 0)
	if g.Minor != nil && *g.Minor < 0 {
		g.Minor = nil
	}
}

// The classes that a probe may name. One that it invents is the last of them.
var (
	faultIDs = []string{wire.FaultNoLibrary, wire.FaultMismatch, wire.FaultNoDriver, wire.FaultNoNVML, wire.FaultHangs, wire.FaultOther}
	lostIDs  = []string{wire.LostFellOff, wire.LostReset, wire.LostPower, wire.LostIRQ, wire.LostTimeout, wire.LostOther}
)

// cleanID is the class of what words say; where there are no words there is no class.
func cleanID(id, words string, known []string) string {
	switch {
	case words == "":
		return ""
	case slices.Contains(known, id):
		return id
	}
	return known[len(known)-1]
}

// cleanSpan is a time in ms that a node says something took.
func cleanSpan(ms int64) int64 { return min(max(ms, 0), maxSpan.Milliseconds()) }

func cleanGPU(g wire.GPU) wire.GPU {
	cleanNames(&g.Lost, &g.Call, &g.Unlisted)
	g.LostID = cleanID(g.LostID, g.Lost, lostIDs)
	g.HangsMS, g.AgeMS = cleanSpan(g.HangsMS), cleanSpan(g.AgeMS)
	return g
}

// cleanProcesses leaves out what cannot be a process.
func cleanProcesses(in []wire.Process) []wire.Process {
	out := cleaned(in, wire.MaxProcesses, func(p *wire.Process) {
		cleanNames(&p.Type, &p.User, &p.Job, &p.Name)
		p.Command = clean(p.Command, wire.MaxCommand)
	})
	return slices.DeleteFunc(out, func(p wire.Process) bool { return p.PID < 1 })
}

func cleanFaults(in []wire.Fault) []wire.Fault {
	return cleaned(in, maxFaults, func(f *wire.Fault) {
		cleanNames(&f.Collector, &f.Error)
		f.GPUs = slices.Clone(f.GPUs[:min(len(f.GPUs), maxGPUs)])
	})
}
