package overview

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// switchGroup has the nodes under one switch of SLURM's topology.
type switchGroup struct {
	name  string // "": SLURM names no switch for these nodes
	nodes []string
	rank  int // the worst severity of its nodes if that is at least a warning, else 0
}

// strips is the geometry of nodes in groups: each group has a strip of cells, on several lines if it is long. The
// geometry depends on the size of the terminal, the nodes, their GPUs and switches, and the ranks of the groups, but
// never on values.
type strips struct {
	tilePlaces
	groups []switchGroup
	across int // lines side by side

	names  *draw.Naming // short names of the groups
	name   int          // columns for the name of a group
	per    int          // number of nodes on a line
	gap    int          // the free columns after the cells of a node
	tail   stripTail
	tailAt int // the tail's column in a line
	count  int // columns for the count of nodes in trouble
}

// stripTail is the end of a strip, after the cells of a group.
type stripTail uint8

// The tails, the shortest first.
const (
	tailNone  stripTail = iota
	tailMean            // the mean over its GPUs
	tailCount           // and the number of its nodes in trouble
)

// leastInGroup is the least mean number of nodes in a group: smaller groups would give the map no order.
const leastInGroup = 4

const tailMeanWide = 5 // with the gap before it

// newStrips arranges groups in this many columns and rows. Each node gets as many cells as fit; nil if not even one
// fits.
func newStrips(groups []switchGroup, slots part.Slots, width, rows int) *strips {
	if len(groups) < 2 || countNodes(groups) < leastInGroup*len(groups) || rows < 1 {
		return nil
	}
	st := &strips{groups: groups, tilePlaces: tilePlaces{ragged: true}}
	st.shortenGroupNames()
	for cells := len(slots); cells > 1; cells = (cells + 1) / 2 {
		if st.arrangeGroups(cells, 1, tailCount, width, rows) {
			return st
		}
	}
	if st.arrangeGroups(1, 1, tailCount, width, rows) {
		return st
	}
	for tail := tailCount; ; tail-- {
		if st.arrangeGroups(1, 0, tail, width, rows) {
			return st
		}
		if tail == tailNone {
			return nil
		}
	}
}

func countNodes(groups []switchGroup) (nodes int) {
	for i := range groups {
		nodes += len(groups[i].nodes)
	}
	return nodes
}

// groupsOf puts the nodes of the scene into groups. The groups with the worst nodes come first, the others in the order
// of the job's nodes: a group moves only when its rank changes. Without a topology from SLURM there are no groups.
func groupsOf(s *part.Scene) []switchGroup {
	if len(s.Snap.Discovery.Switches) == 0 {
		return nil
	}
	var all []switchGroup
	at := map[string]int{}
	last := -1
	find := func(name string) int {
		if under := s.NodeOf(name).Switch; last < 0 || all[last].name != under {
			i, known := at[under]
			if !known {
				i = len(all)
				at[under], all = i, append(all, switchGroup{name: under})
			}
			last = i
		}
		return last
	}
	for _, name := range s.Job.Nodes {
		find(name)
	}
	for _, name := range s.Order {
		g := &all[find(name)]
		g.nodes = append(g.nodes, name)
		if rank := s.Health.Rank(name); rank >= int(cluster.Warning) {
			g.rank = max(g.rank, rank)
		}
	}
	all = slices.DeleteFunc(all, func(g switchGroup) bool { return len(g.nodes) == 0 })
	slices.SortStableFunc(all, func(a, b switchGroup) int { return b.rank - a.rank })
	return all
}

// noSwitch is the name of a group without a switch.
const noSwitch = "–"

func (st *strips) shortenGroupNames() {
	var names []string
	for i := range st.groups {
		if name := st.groups[i].name; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the ranks of groups must not change the names
	st.names = draw.NewNaming(names, longName)
	st.name = max(min(st.names.Wide, longName), 1)
}

// arrangeGroups arranges the groups in as few columns as possible, with this number of cells for a node, this gap and
// this tail. It reports whether there is room.
func (st *strips) arrangeGroups(cells, gap int, tail stripTail, width, rows int) bool {
	longest := 0
	for i := range st.groups {
		longest = max(longest, len(st.groups[i].nodes))
	}
	st.tail, st.each, st.gap, st.cellsAt = tail, cells+gap, gap, 1+st.name+1
	st.count = 2*len(strconv.Itoa(longest)) + 3
	behind := [...]int{tailNone: 0, tailMean: tailMeanWide, tailCount: tailMeanWide + 1 + st.count}[tail]
	for st.across = 1; ; st.across++ {
		st.wide = width / st.across
		if st.per = min((st.wide-1-st.cellsAt-behind)/st.each, longest); st.per < 1 {
			return false
		}
		if st.per < longest && st.across > 1 && cells+gap > 1 {
			return false // fewer cells are better than broken strips
		}
		if lines := st.countLines(); (lines+st.across-1)/st.across <= rows {
			st.tailAt = st.cellsAt + st.per*st.each
			st.rows = (lines + st.across - 1) / st.across
			st.across = (lines + st.rows - 1) / st.rows
			st.breakLines(lines)
			return true
		}
	}
}

// countLines returns the number of lines that the groups take.
func (st *strips) countLines() (lines int) {
	for i := range st.groups {
		lines += (len(st.groups[i].nodes) + st.per - 1) / st.per
	}
	return lines
}

func (st *strips) breakLines(lines int) {
	st.lines = make([]nodesLine, 0, lines)
	place := 0
	for i := range st.groups {
		for end := place + len(st.groups[i].nodes); place < end; {
			next := min(place+st.per, end)
			st.lines = append(st.lines, nodesLine{i, place, next})
			place = next
		}
	}
}

// nodesInOrder returns the nodes of all groups, in the order of their places.
func (st *strips) nodesInOrder() []string {
	all := make([]string, 0, st.lines[len(st.lines)-1].to)
	for i := range st.groups {
		all = append(all, st.groups[i].nodes...)
	}
	return all
}
