package smi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// roster is the list of the GPUs of a node, including lost ones. One goroutine owns it: first that of the learner, then
// that of the translator.
type roster struct {
	query  query          // what is asked about each GPU
	minors map[string]int // by PCI bus
	list   []*gpu
	driver string
	news   bool // a GPU has changed since the last Hello
}

// maxCards limits the GPUs of a node.
const maxCards = 64

// newGPU makes a GPU from its row.
func (r *roster) newGPU(cells []string) *gpu {
	index, _ := strconv.Atoi(cells[0]) // cells was checked before
	row := r.query.readRow(cells[8:], all)
	g := &gpu{at: index, round: noRound, Card: wire.Card{
		Index: index, UUID: knownText(cells[1]), PCIBus: knownText(cells[2]), Name: knownText(cells[3]),
		Serial: knownText(cells[4]),
		VBIOS:  knownText(cells[5]), MIG: cells[7] == "Enabled",
	}}
	r.setMinor(g)
	if words := row.failureWords(); words != "" {
		g.setReason(words)
	} else {
		g.Absent, g.Values = r.query.listAbsent(&row), row.valuesAtPace(metric.Once)
	}
	r.driver = cmp.Or(knownText(cells[6]), r.driver)
	return g
}

// knownText returns the text of a cell; "" if nvidia-smi does not know it.
func knownText(cell string) string {
	if strings.HasPrefix(cell, "[") || cell == "N/A" {
		return ""
	}
	return cell
}

// setMinor sets the minor number of a GPU, if /proc has it.
func (r *roster) setMinor(g *gpu) {
	if minor, ok := r.minors[busKey(g.PCIBus)]; ok {
		g.Minor = &minor
	}
}

// addGPU adds a GPU, unless it is there already.
func (r *roster) addGPU(g *gpu) {
	if len(r.list) < maxCards && !r.containsGPU(func(o *gpu) bool { return o.Index == g.Index }) {
		r.list = append(r.list, g)
	}
}

// addRefused adds a GPU for which nvidia-smi fails.
func (r *roster) addRefused(index int, who namedGPU, words string) {
	g := &gpu{at: index, round: noRound, refused: true, Card: wire.Card{Index: index, UUID: who.uuid, PCIBus: who.bus}}
	g.setReason(text.FirstLine(words))
	r.setMinor(g)
	r.addGPU(g)
}

// findGPU returns the GPU of a row that begins with this index and UUID; nil if it is not known.
func (r *roster) findGPU(index int, uuid string) *gpu {
	uuid = knownText(uuid)
	for _, g := range r.list {
		if uuid != "" && g.UUID == uuid || g.at == index && (uuid == "" || g.UUID == "") {
			return g
		}
	}
	return nil
}

// containsGPU reports whether a GPU has the property.
func (r *roster) containsGPU(has func(*gpu) bool) bool { return slices.ContainsFunc(r.list, has) }

// Which GPUs to ask for: a list of indices, or one of these.
const (
	everyGPU = "-"
	noGPU    = ""
)

// readableGPUs returns the GPUs to ask for: all, unless nvidia-smi refuses all because of one.
func (r *roster) readableGPUs() string {
	if !r.containsGPU(isRefused) {
		return everyGPU
	}
	var indices []string
	for _, g := range r.list {
		if !g.refused && !g.gone {
			indices = append(indices, strconv.Itoa(g.at))
		}
	}
	return strings.Join(indices, ",") // noGPU if the list is empty
}

// inRound returns how many GPUs have a row in each round of the loop.
func (r *roster) inRound() (count int) {
	for _, g := range r.list {
		if !g.refused && !g.gone {
			count++
		}
	}
	return count
}

// restoreGPU records a GPU that has answered a new nvidia-smi: a lost one is back, or there is a new one. It reports
// whether that is so.
func (r *roster) restoreGPU(now *gpu) bool {
	was := r.findGPU(now.at, now.UUID)
	switch {
	case now.Lost != "" || was != nil && was.Lost == "" && was.Name != "" || was == nil && len(r.list) == maxCards:
		return false
	case was == nil:
		now.Index = r.freeIndex(now.Index)
		r.list = append(r.list, now)
	default:
		now.Index = was.Index
		*was = *now
	}
	r.news = true
	return true
}

// freeIndex returns an index that no GPU has: the wanted one, if possible.
func (r *roster) freeIndex(want int) int {
	for r.containsGPU(func(g *gpu) bool { return g.Index == want }) {
		want++
	}
	return want
}

// markRefused marks the GPU that nvidia-smi's words name. It reports whether that was unknown.
func (r *roster) markRefused(words string) (isNew bool) {
	who, _ := findNamed(words)
	for _, g := range r.list {
		if who.namesGPU(g) && !g.refused {
			g.refused, isNew = true, true
			r.news = g.setReason(words) || r.news
		}
	}
	return isNew
}

// endRound ends a round of rows.
func (r *roster) endRound() {
	for _, g := range r.list {
		r.news = g.endRound() || r.news
	}
}

// forgetRound forgets the values of a round.
func (r *roster) forgetRound() {
	for _, g := range r.list {
		g.seen, g.values = false, metric.Values{}
	}
}

// listCards returns the GPUs for a Hello.
func (r *roster) listCards() []wire.Card {
	cards := make([]wire.Card, len(r.list))
	for i, g := range r.list {
		cards[i] = g.Card
	}
	return cards
}

// listEntries returns the GPUs for a report.
func (r *roster) listEntries() []wire.GPU {
	entries := make([]wire.GPU, len(r.list))
	for i, g := range r.list {
		entries[i] = g.reportEntry()
	}
	return entries
}
