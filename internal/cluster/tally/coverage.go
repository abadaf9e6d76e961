package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Cover counts nodes and GPUs.
type Cover struct {
	Nodes, NodesReporting int
	GPUs, GPUsSeen        int // of jobs, and how many of them report, as in a cluster.JobView
}

// Covered counts the nodes and GPUs of all jobs. A node or a GPU that several jobs share counts once.
func Covered(s *cluster.Snapshot) Cover {
	var c Cover
	jobs := map[string][]*cluster.JobView{}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			jobs[name] = append(jobs[name], &s.Jobs[i])
		}
	}
	for name, of := range jobs {
		n := Node(s, name)
		given, seen := gpusOf(of, n)
		c.Nodes++
		c.GPUs += given
		if n.State == cluster.NodeReporting {
			c.NodesReporting++
			c.GPUsSeen += seen
		}
	}
	return c
}

// gpusOf counts the GPUs of a node that belong to jobs, and how many of these are neither lost nor hung.
func gpusOf(jobs []*cluster.JobView, n *cluster.Node) (given, seen int) {
	var listed []*cluster.GPU
	var numbers []int
	shared := 0 // number of earlier jobs with the same GPU
	for _, j := range jobs {
		own := Own(j, n)
		count, known := j.GPUsOn(n.Name)
		if !known {
			count = len(own)
		}
		given += count
		for _, g := range own {
			if slices.Contains(listed, g) {
				shared++
				continue
			}
			listed = append(listed, g)
			if Lost(g) == "" && !g.Hung() {
				seen++
			}
		}
		for _, minor := range j.Minors[n.Name] {
			if len(n.GPUs) == 0 && slices.Contains(numbers, minor) {
				shared++
			}
			numbers = append(numbers, minor)
		}
	}
	return max(given-shared, len(listed)), seen
}
