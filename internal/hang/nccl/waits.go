package nccl

import (
	"cmp"
	"slices"
)

// waitGraph is the graph of who waits for whom: a member that has launched more of an operation than another member of
// its communicator waits for that one. Steps stand between the members. A step means "all that are below this level",
// so that a communicator needs only as many edges as it has ranks.
type waitGraph struct {
	*verdictBuilder
	members []GPU // by node, up to the first step
	unnamed []int // by node: how many ranks of a text it stands for; 0: the node is a member or a step
	node    map[GPU]int
	edges   [][]int // by node: for whom it waits
	behind  []bool  // by node: somebody waits for it

	spreads []spread
}

// spread is a Spread with its communicator, and the nodes of its levels.
type spread struct {
	*Spread
	comm  *Comm
	nodes [][]int
}

// findWaits finds out who waits for whom.
func (j *verdictBuilder) findWaits() *waitGraph {
	w := &waitGraph{verdictBuilder: j, node: map[GPU]int{}}
	for i := range j.a.Comms {
		c := &j.a.Comms[i]
		for k := range c.Spreads {
			if s := &c.Spreads[k]; len(s.Levels) > 1 {
				w.spreads = append(w.spreads, w.levelNodes(c, s))
			}
		}
	}
	for _, s := range w.spreads {
		below := -1 // the step below this level
		for level := len(s.nodes) - 2; level >= 0; level-- {
			step := w.addNode(GPU{}, 0)
			w.edges[step] = slices.Clone(s.nodes[level+1])
			for _, n := range s.nodes[level+1] {
				w.behind[n] = true
			}
			if below >= 0 {
				w.edges[step] = append(w.edges[step], below)
			}
			below = step
			for _, n := range s.nodes[level] {
				w.edges[n] = append(w.edges[n], step)
			}
		}
	}
	return w
}

// levelNodes returns the nodes of a spread.
func (w *waitGraph) levelNodes(c *Comm, s *Spread) spread {
	it := spread{Spread: s, comm: c, nodes: make([][]int, len(s.Levels))}
	slices.SortStableFunc(s.Levels, func(a, b Level) int { return cmp.Compare(b.Launched, a.Launched) })
	for i, l := range s.Levels {
		for _, rank := range l.Ranks {
			g := c.Ranks[rank].GPU
			if g.PID == 0 { // RAS does not know the process
				g.Host, g.Index = c.ID, -2-c.Ranks[rank].Rank
			}
			n, found := w.node[g]
			if !found {
				n = w.addNode(c.Ranks[rank].GPU, 0)
				w.node[g] = n
			}
			it.nodes[i] = append(it.nodes[i], n)
		}
		if rest := l.Count - len(l.Ranks); rest > 0 {
			it.nodes[i] = append(it.nodes[i], w.addNode(GPU{}, rest))
		}
	}
	return it
}

func (w *waitGraph) addNode(g GPU, unnamed int) int {
	w.members = append(w.members, g)
	w.unnamed = append(w.unnamed, unnamed)
	w.edges = append(w.edges, nil)
	w.behind = append(w.behind, false)
	return len(w.members) - 1
}

// hasMembers reports whether a node is a member, or stands for some.
func (w *waitGraph) hasMembers(node int) bool { return w.members[node].PID != 0 || w.unnamed[node] > 0 }

// findCauses decides which members are the causes: those that are behind and wait for nobody, or only for each other.
func (w *waitGraph) findCauses() {
	v := w.v
	causes := map[int]bool{}
	if odd := w.oddNodes(); len(odd) > 0 {
		v.State = Disagree
		for _, n := range odd {
			causes[n] = true
		}
	} else {
		for _, part := range w.findSinks() {
			n := 0
			for _, node := range part {
				if w.hasMembers(node) && w.behind[node] {
					causes[node] = true
					n++
				}
			}
			v.Circular = v.Circular || n > 1 && len(part) > n
		}
	}
	for node := range causes {
		if v.Unnamed += w.unnamed[node]; w.unnamed[node] == 0 {
			v.Causes = append(v.Causes, w.memberOf(w.members[node]))
		}
	}
	slices.SortFunc(v.Causes, CompareMembers)
	w.countWaiting(causes)
	w.listWaits(causes)
}

// countWaiting counts the members that wait for the causes, directly or through others.
func (w *waitGraph) countWaiting(causes map[int]bool) {
	back := make([][]int, len(w.edges))
	for from, all := range w.edges {
		for _, to := range all {
			back[to] = append(back[to], from)
		}
	}
	seen := make([]bool, len(w.edges))
	var queue []int
	unnamed := 0 // in different communicators they may be the same ranks
	for node := range causes {
		seen[node] = true
		queue = append(queue, node)
	}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		if w.hasMembers(node) && !causes[node] && w.unnamed[node] == 0 {
			w.v.Waiting++
		}
		if !causes[node] {
			unnamed = max(unnamed, w.unnamed[node])
		}
		for _, from := range back[node] {
			if !seen[from] {
				seen[from] = true
				queue = append(queue, from)
			}
		}
	}
	w.v.Waiting += unnamed
}

// listWaits lists where members wait.
func (w *waitGraph) listWaits(causes map[int]bool) {
	for _, s := range w.spreads {
		it := Wait{Operation: s.Operation, Launched: s.Levels[0].Launched, Waiting: s.Levels[0].Count}
		for level := 1; level < len(s.Levels); level++ {
			it.Behind = append(it.Behind, Level{Launched: s.Levels[level].Launched, Count: s.Levels[level].Count})
			it.OfCause = it.OfCause || slices.ContainsFunc(s.nodes[level], func(n int) bool { return causes[n] })
		}
		it.JobComm = w.describePart(s.comm, it.Waiting)
		w.v.Waits = append(w.v.Waits, it)
	}
	slices.SortStableFunc(w.v.Waits, func(a, b Wait) int {
		first := func(w *Wait) int {
			if w.OfCause {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(first(&a), first(&b)), cmp.Compare(b.Waiting, a.Waiting),
			cmp.Compare(a.Number, b.Number))
	})
}

// oddNodes returns the nodes that have called other operations than most of their communicator. A communicator runs its
// operations in one order. So of two ranks one is ahead in all operations, unless they have called different ones.
func (w *waitGraph) oddNodes() []int {
	var odd []int
	for i := range w.a.Comms {
		c := &w.a.Comms[i]
		if len(c.Spreads) < 2 {
			continue
		}
		if !w.a.JSON {
			odd = append(odd, w.aheadAndBehind(c)...)
			continue
		}
		order := make([]int, len(c.Ranks))
		for k := range order {
			order[k] = k
		}
		sum := func(k int) (sum uint64) {
			for _, n := range c.Ranks[k].Counts {
				sum += n
			}
			return sum
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sum(b), sum(a)) })
		for k := 1; k < len(order); k++ {
			if !c.Ranks[order[k-1]].isNotBehind(&c.Ranks[order[k]]) {
				odd = append(odd, w.minorityNodes(c)...)
				break
			}
		}
	}
	slices.Sort(odd)
	return slices.Compact(odd)
}

// aheadAndBehind returns the nodes of ranks that, according to a text, are ahead of most others in one operation and
// behind them in another.
func (w *waitGraph) aheadAndBehind(c *Comm) []int {
	ahead := map[int]bool{}
	var odd []int
	for pass := range 2 {
		for i := range c.Spreads {
			levels := c.Spreads[i].Levels
			most := 0
			for k, l := range levels {
				if l.Count > levels[most].Count {
					most = k
				}
			}
			for k, l := range levels {
				for _, rank := range l.Ranks {
					switch node, found := w.node[c.Ranks[rank].GPU]; {
					case pass == 0 && k < most:
						ahead[rank] = true
					case pass == 1 && k > most && ahead[rank] && found:
						odd = append(odd, node)
					}
				}
			}
		}
	}
	return odd
}

// isNotBehind reports whether the rank has launched every operation at least as often as the other.
func (r *Rank) isNotBehind(other *Rank) bool {
	for op := range max(len(r.Counts), len(other.Counts)) {
		if r.launchedCount(op) < other.launchedCount(op) {
			return false
		}
	}
	return true
}

// minorityNodes returns the nodes of all ranks that are neither ahead of nor behind the largest group of equal ranks.
// If no group is the largest, it returns the nodes of all ranks.
func (w *waitGraph) minorityNodes(c *Comm) []int {
	equal := func(a, b *Rank) bool { return a.isNotBehind(b) && b.isNotBehind(a) }
	var groups []int // index of the first rank of each
	var sizes []int
	for i := range c.Ranks {
		g := slices.IndexFunc(groups, func(first int) bool { return equal(&c.Ranks[first], &c.Ranks[i]) })
		if g < 0 {
			if g = len(groups); g == maxGroups {
				break
			}
			groups, sizes = append(groups, i), append(sizes, 0)
		}
		sizes[g]++
	}
	most := slices.Max(sizes)
	usual := &c.Ranks[groups[slices.Index(sizes, most)]]
	tied := slices.Index(sizes, most) != len(sizes)-1-slices.Index(reversedCopy(sizes), most)
	var odd []int
	for i := range c.Ranks {
		r := &c.Ranks[i]
		if node, found := w.node[r.GPU]; found && (tied || !r.isNotBehind(usual) && !usual.isNotBehind(r)) {
			odd = append(odd, node)
		}
	}
	return odd
}

// maxGroups limits how many groups of equal ranks are told apart.
const maxGroups = 64

func reversedCopy(list []int) []int {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
