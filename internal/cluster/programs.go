package cluster

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Program is a program of a job whose processes have ranks.
type Program struct {
	From  string // the variable that names its ranks
	World int    // number of ranks; 0: unknown
	Nth   int    // number among the job's programs with the same From and World: 0, 1, …
}

// RankID is a rank of a program.
type RankID struct {
	Program
	Rank int
}

// Launch is the common origin of processes of one program on one node. If the environment names the program, that name
// holds on all nodes. Otherwise the process that launched them identifies the program on its node. The zero Launch is
// for processes without either.
type Launch struct {
	named  string
	node   string
	parent int
}

// LaunchOf returns the launch of a process with a rank. Orphans, which init has adopted, cannot be told apart.
func LaunchOf(node string, p *wire.Process) Launch {
	switch {
	case p.Rank.Program != "":
		return Launch{named: p.Rank.Program}
	case p.Parent > 1:
		return Launch{node: node, parent: p.Parent}
	}
	return Launch{}
}

// launched is a launch of a program with these ranks.
type launched struct {
	from  string
	world int
	Launch
}

// Programs tells the programs of a job apart.
type Programs struct{ nth map[launched]int }

// NewPrograms assigns the ranks of a job to programs. Different launches alone prove nothing: one program has several
// launches if only the launchers on its nodes are known, or after a restart. Programs are two if each had a process of
// the same rank at the same time.
func NewPrograms(ranks iter.Seq[*SeenRank]) Programs {
	var p Programs
	if ranksAreDistinct(ranks) {
		return p
	}
	clans := map[launched]*launchRanks{}
	alike := map[launched][]*launchRanks{} // by variable and size
	var c *launchRanks
	for r := range ranks {
		of := launched{r.From, WorldOf(&r.Rank), r.By}
		if c == nil || c.launched != of { // the ranks of one launch come one after another
			c = clans[of]
		}
		if c == nil {
			c = &launchRanks{launched: of, began: r.Began}
			of.Launch = Launch{}
			clans[c.launched], alike[of] = c, append(alike[of], c)
		}
		c.addRank(r)
	}
	for _, clans := range alike {
		if len(clans) > 1 {
			p.assignLaunches(clans)
		}
	}
	return p
}

// ranksAreDistinct reports whether no two processes have the same rank, among programs of the same variable and size.
// Then their launches are one program, as in most jobs.
func ranksAreDistinct(ranks iter.Seq[*SeenRank]) bool {
	all := map[launched]*rankSet{}
	var of launched
	var last *rankSet
	for r := range ranks {
		if is := (launched{from: r.From, world: WorldOf(&r.Rank)}); last == nil || of != is {
			of, last = is, all[is]
			if last == nil {
				last = &rankSet{}
				all[is] = last
			}
		}
		if !last.addRank(r.Rank.Rank) {
			return false
		}
	}
	return true
}

// assignLaunches finds the program of each launch. Earlier launches go first. Each joins the first program that did not
// have one of its ranks at that time.
func (p *Programs) assignLaunches(clans []*launchRanks) {
	slices.SortStableFunc(clans, func(a, b *launchRanks) int {
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.node, b.node), cmp.Compare(a.parent, b.parent))
	})
	var programs []rankLifetimes
	for _, c := range clans {
		at := slices.IndexFunc(programs, func(o rankLifetimes) bool { return !o.sharesRank(c) })
		if at < 0 {
			programs, at = append(programs, rankLifetimes{}), len(programs)
		}
		programs[at].addLaunch(c)
		if p.nth == nil {
			p.nth = map[launched]int{}
		}
		p.nth[c.launched] = at
	}
}

// Of returns the program of a rank.
func (p Programs) Of(r *SeenRank) Program { return p.programOf(&r.Rank, r.By) }

// OfProcess returns the program of a process with a rank.
func (p Programs) OfProcess(n *Node, q *wire.Process) Program {
	return p.programOf(q.Rank, LaunchOf(n.Name, q))
}

func (p Programs) programOf(r *wire.Rank, l Launch) Program {
	world := WorldOf(r)
	return Program{r.From, world, p.nth[launched{r.From, world, l}]}
}

// launchRanks has the ranks of one launch.
type launchRanks struct {
	launched
	began time.Time // start of the oldest
	ranks []rankLifetime
}

// rankLifetime is the time for which a process had a rank.
type rankLifetime struct {
	rank        int
	began, seen time.Time
}

func (c *launchRanks) addRank(r *SeenRank) {
	if r.Began.Before(c.began) {
		c.began = r.Began
	}
	c.ranks = append(c.ranks, rankLifetime{r.Rank.Rank, r.Began, r.Seen})
}

// rankLifetimes are the times of one program's ranks, by rank.
type rankLifetimes map[int][]rankLifetime

func (p rankLifetimes) addLaunch(c *launchRanks) {
	for _, l := range c.ranks {
		p[l.rank] = append(p[l.rank], l)
	}
}

// sharesRank reports whether the program and the launch have a rank in common at the same time.
func (p rankLifetimes) sharesRank(c *launchRanks) bool {
	return slices.ContainsFunc(c.ranks, func(l rankLifetime) bool {
		return slices.ContainsFunc(p[l.rank], func(m rankLifetime) bool {
			return !l.began.After(m.seen) && !m.began.After(l.seen)
		})
	})
}
