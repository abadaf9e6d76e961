package cluster

import (
	"cmp"
	"slices"
	"time"
)

// troubles keeps the time for all that has held on a node. Its memory is bounded: a spell and a past one a Kind and place.
type troubles struct {
	reach, report track
	gpus          []*gpuTrack // only those with something to tell
}

// gpuTrack is the track of one GPU, found by Key.
type gpuTrack struct {
	track
	gpu     GPU  // its Key, Number and Unplaced
	present bool // in the last report
}

// reached takes in how the node is reached at a moment.
func (t *troubles) reached(rules Rules, n *Node, at time.Time) {
	t.reach.step(rules.Holding(ScopeReach, n, nil), at)
}

// reported takes in the node's report.
func (t *troubles) reported(rules Rules, n *Node, at time.Time) {
	t.report.step(rules.Holding(ScopeReport, n, nil), at)
	for _, g := range t.gpus {
		g.present = false
	}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		if held := rules.Holding(ScopeGPU, n, g); len(held) > 0 || t.knows(g.Key) {
			t.of(g).step(held, at)
		}
	}
	for _, g := range t.gpus {
		if !g.present {
			g.step(nil, at)
		}
	}
	crowded := len(t.gpus) > 2*maxGPUs
	t.gpus = slices.DeleteFunc(t.gpus, func(g *gpuTrack) bool { return g.empty() || crowded && !g.present })
}

func (t *troubles) knows(key string) bool {
	return slices.ContainsFunc(t.gpus, func(o *gpuTrack) bool { return o.gpu.Key == key })
}

// of is the track of a GPU of the report, a new one where there is none.
func (t *troubles) of(g *GPU) *gpuTrack {
	i := slices.IndexFunc(t.gpus, func(o *gpuTrack) bool { return o.gpu.Key == g.Key })
	if i < 0 {
		i = len(t.gpus)
		t.gpus = append(t.gpus, &gpuTrack{})
	}
	track := t.gpus[i]
	track.present, track.gpu = true, GPU{Key: g.Key, Number: g.Number, Unplaced: g.Unplaced}
	return track
}

// notice is a Finding of a node before it is known which jobs it concerns.
type notice struct {
	Finding
	cleared bool
	ofGPUs  bool
	gpu     *GPU // nil: of the node
}

// notices are all that is to be told of the node n at now.
func (t *troubles) notices(rules Rules, n *Node, now time.Time) []notice {
	var out []notice
	if held := rules.Holding(ScopeReach, n, nil); len(held) > 0 || !t.reach.empty() {
		reach := t.reach.copy()
		reach.step(held, now)
		out = reach.tell(out, n, nil, true)
	}
	out = t.report.asOf(now).tell(out, n, nil, n.State == NodeStreaming)
	for _, g := range t.gpus {
		out = g.asOf(now).tell(out, n, &g.gpu, g.present && (n.State == NodeStreaming || n.State == NodeStale))
	}
	return out
}

// tell appends what is to be told. live says that something is known of the place now. What has just ended is told only of nodes that
// stream, and of places where nothing critical holds: elsewhere it is of no account.
func (t *track) tell(out []notice, n *Node, g *GPU, live bool) []notice {
	lingers := n.State == NodeStreaming && !slices.ContainsFunc(t.spells, func(s spell) bool { return s.holds && s.Severity == Critical })
	for i := range t.spells {
		if s := &t.spells[i]; s.told && live && (s.holds || lingers) {
			out = append(out, s.tell(n, g, false))
		}
	}
	for i := range t.past {
		out = append(out, t.past[i].tell(n, g, true))
	}
	return out
}

func (s *spell) tell(n *Node, g *GPU, cleared bool) notice {
	f := Finding{Kind: s.Kind, Class: s.Class, Severity: s.Severity, Since: s.since, Times: s.times, Node: n.Name, GPU: -1}
	if g != nil {
		f.GPU = g.Number
	}
	if !s.holds {
		f.Over = s.last
	}
	return notice{f, cleared, s.OfGPUs, g}
}

// tell fills in what is wrong with the job, and what was.
func (v *JobView) tell(nodes map[string]*Node, all map[string][]notice) {
	var findings, cleared []*Finding
	for _, name := range v.Nodes {
		minors, known := v.Minors[name]
		none := known && len(minors) == 0
		for i := range all[name] {
			switch t := &all[name][i]; {
			case t.ofGPUs && none, t.gpu != nil && !v.Owns(nodes[name], t.gpu):
			case t.cleared:
				cleared = append(cleared, &t.Finding)
			default:
				findings = append(findings, &t.Finding)
			}
		}
	}
	v.Findings = sorted(findings, len(findings), func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), b.Since.Compare(a.Since))
	})
	v.Cleared = sorted(cleared, maxCleared, func(a, b *Finding) int { return b.Over.Compare(a.Over) })
}

// sorted are the first findings, at most most. Those that are equal are in order of their places, then as they were.
func sorted(findings []*Finding, most int, compare func(a, b *Finding) int) []Finding {
	slices.SortStableFunc(findings, func(a, b *Finding) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.GPU, b.GPU))
	})
	findings = findings[:min(len(findings), most)]
	out := slices.Grow([]Finding(nil), len(findings))
	for _, f := range findings {
		out = append(out, *f)
	}
	return out
}
