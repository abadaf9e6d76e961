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

// roster is the GPUs of a node, lost ones included. One goroutine has it: that of learn, then that of translate.
type roster struct {
	query  query          // what is asked of each
	minors map[string]int // by PCI bus
	list   []*gpu
	driver string
	news   bool // about a GPU, since the last Hello
}

// maxCards limits the GPUs of a node.
const maxCards = 64

// card makes a GPU of its row.
func (r *roster) card(cells []string) *gpu {
	index, _ := strconv.Atoi(cells[0]) // cells has checked it
	row := r.query.read(cells[8:], all)
	g := &gpu{at: index, round: noRound, Card: wire.Card{
		Index: index, UUID: known(cells[1]), PCIBus: known(cells[2]), Name: known(cells[3]), Serial: known(cells[4]),
		VBIOS: known(cells[5]), MIG: cells[7] == "Enabled",
	}}
	r.setMinor(g)
	if words := row.failure(); words != "" {
		g.say(words)
	} else {
		g.Absent, g.Values = r.query.absent(&row), row.only(metric.Once)
	}
	r.driver = cmp.Or(known(cells[6]), r.driver)
	return g
}

// known is the text of a cell; "" if nvidia-smi does not know it.
func known(cell string) string {
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

// add adds a GPU, unless it is there already.
func (r *roster) add(g *gpu) {
	if len(r.list) < maxCards && !r.any(func(o *gpu) bool { return o.Index == g.Index }) {
		r.list = append(r.list, g)
	}
}

// addRefused adds a GPU for which nvidia-smi fails.
func (r *roster) addRefused(index int, who named, words string) {
	g := &gpu{at: index, round: noRound, refused: true, Card: wire.Card{Index: index, UUID: who.uuid, PCIBus: who.bus}}
	g.say(text.FirstLine(words))
	r.setMinor(g)
	r.add(g)
}

// find returns the GPU of a row that begins with this index and UUID; nil if it is not known.
func (r *roster) find(index int, uuid string) *gpu {
	uuid = known(uuid)
	for _, g := range r.list {
		if uuid != "" && g.UUID == uuid || g.at == index && (uuid == "" || g.UUID == "") {
			return g
		}
	}
	return nil
}

// any reports whether a GPU has the property.
func (r *roster) any(has func(*gpu) bool) bool { return slices.ContainsFunc(r.list, has) }

// Which GPUs to ask for: a list of indices, or one of these.
const (
	everyGPU = "-"
	noGPU    = ""
)

// readable are the GPUs to ask for: all, unless nvidia-smi refuses all because of one.
func (r *roster) readable() string {
	if !r.any(isRefused) {
		return everyGPU
	}
	var indices []string
	for _, g := range r.list {
		if !g.refused && !g.gone {
			indices = append(indices, strconv.Itoa(g.at))
		}
	}
	return strings.Join(indices, ",") // noGPU if there are none
}

// inRound is the number of GPUs that each round of the loop has a row of.
func (r *roster) inRound() (count int) {
	for _, g := range r.list {
		if !g.refused && !g.gone {
			count++
		}
	}
	return count
}

// restore notes a GPU that has answered a look: a lost one is back, or there is one more. It reports whether it did.
func (r *roster) restore(now *gpu) bool {
	was := r.find(now.at, now.UUID)
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
	for r.any(func(g *gpu) bool { return g.Index == want }) {
		want++
	}
	return want
}

// refuse marks the GPU that the words of nvidia-smi name. It reports whether that was unknown.
func (r *roster) refuse(words string) (isNew bool) {
	who, _ := naming(words)
	for _, g := range r.list {
		if who.is(g) && !g.refused {
			g.refused, isNew = true, true
			r.news = g.say(words) || r.news
		}
	}
	return isNew
}

// settle ends a round of rows.
func (r *roster) settle() {
	for _, g := range r.list {
		r.news = g.settle() || r.news
	}
}

// forget forgets the values of a round.
func (r *roster) forget() {
	for _, g := range r.list {
		g.seen, g.values = false, metric.Values{}
	}
}

// cards are the GPUs in a Hello.
func (r *roster) cards() []wire.Card {
	cards := make([]wire.Card, len(r.list))
	for i, g := range r.list {
		cards[i] = g.Card
	}
	return cards
}

// entries are the GPUs in a report.
func (r *roster) entries() []wire.GPU {
	entries := make([]wire.GPU, len(r.list))
	for i, g := range r.list {
		entries[i] = g.entry()
	}
	return entries
}
