package scalars

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// taggedGPU is a GPU of a job with its tag.
type taggedGPU struct {
	tag     string
	node    string
	gpu     *cluster.GPU
	rank    *int
	process *wire.Process // process of the rank; nil: no process is listed
}

// jobGPUs returns the GPUs of a job: first those of its ranks, wherever they are now, then the others. It stores the
// rank of each in ranks.
func (l *Log) jobGPUs(s *cluster.Snapshot, j *cluster.JobView, ranks map[gpuKey]int) []taggedGPU {
	t := tags{job: j, taken: map[string]bool{}, ranked: map[*cluster.GPU]bool{}, used: map[*cluster.GPU]bool{}}
	rows := tally.Ranks(s, j)
	for i := range rows {
		t.addRank(&rows[i])
	}
	for _, p := range t.places {
		ranks[gpuKey{j.ID, p.node, p.gpu.Key}] = *p.rank
	}
	for _, name := range j.Nodes {
		t.addOthers(tally.Node(s, name), l.ranks, ranks)
	}
	return t.places
}

// tags are the places of a job under construction.
type tags struct {
	job    *cluster.JobView
	places []taggedGPU
	taken  map[string]bool       // tags in use
	ranked map[*cluster.GPU]bool // GPUs of ranks
	used   map[*cluster.GPU]bool // GPUs with a process of the job
}

// addRank adds the GPU of a rank. If a rank has several GPUs, or if two programs run, all GPUs but the first have their
// place in the tag. A rank that does not report keeps its tag.
func (t *tags) addRank(r *tally.RankRow) {
	if r.Rank == nil && r.GPU != nil {
		t.used[r.GPU] = true
	}
	if r.Rank == nil || r.Node == "" || r.State == tally.RankGone {
		return
	}
	tag := rankTag(r.Rank.Rank)
	if t.taken[tag] && r.GPU != nil {
		tag += "/" + placeTag(r.Node, r.GPU)
	}
	if t.taken[tag] {
		return // two processes of a rank share this GPU
	}
	t.taken[tag] = true
	if r.GPU != nil {
		t.ranked[r.GPU] = true
		t.places = append(t.places, taggedGPU{tag, r.Node, r.GPU, &r.Rank.Rank, r.Process})
	}
}

// addOthers adds the job's GPUs on a node that have no rank. If the rank of a GPU has ended, the GPU keeps the tag
// until the rank appears elsewhere. If the job's GPUs are unknown, only GPUs with one of its processes count.
func (t *tags) addOthers(n *cluster.Node, before, ranks map[gpuKey]int) {
	share := t.job.Share(n)
	for _, g := range tally.All(n) {
		own := t.used[g] || share.Known && share.Has(&g.Number)
		if !own || t.ranked[g] {
			continue
		}
		p := taggedGPU{tag: placeTag(n.Name, g), node: n.Name, gpu: g}
		at := gpuKey{t.job.ID, n.Name, g.Key}
		if rank, was := before[at]; was && !t.used[g] && !t.taken[rankTag(rank)] {
			p.tag, p.rank, ranks[at] = rankTag(rank), &rank, rank
		}
		if !t.taken[p.tag] {
			t.taken[p.tag] = true
			t.places = append(t.places, p)
		}
	}
}

func rankTag(rank int) string { return "rank" + strconv.Itoa(rank) }

// placeTag returns the tag of a GPU without a rank: its node and its number.
func placeTag(node string, g *cluster.GPU) string {
	if g.Number == cluster.NoNumber {
		return node + "/" + g.Key
	}
	return node + "/gpu" + tally.NumberText(g)
}
