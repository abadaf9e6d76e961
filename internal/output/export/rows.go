package export

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// jobsByNode returns the nodes of all jobs, each once, and the jobs of each node.
func jobsByNode(s *cluster.Snapshot) (names []string, jobs map[string][]*cluster.JobView) {
	jobs = map[string][]*cluster.JobView{}
	for i := range s.Jobs {
		for _, name := range s.Jobs[i].Nodes {
			if jobs[name] == nil {
				names = append(names, name)
			}
			jobs[name] = append(jobs[name], &s.Jobs[i])
		}
	}
	return names, jobs
}

// gpuOwners returns those jobs of a node that own a GPU, as far as known.
func gpuOwners(n *cluster.Node, g *cluster.GPU, jobs []*cluster.JobView) (list []*cluster.JobView) {
	for _, j := range jobs {
		if share := j.Share(n); j.ID != "" && share.Known && share.Has(&g.Number) {
			list = append(list, j)
		}
	}
	return list
}
