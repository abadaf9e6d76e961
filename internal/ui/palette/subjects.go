package palette

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Processes returns the processes of the selected job, and why they do not meet the needs of an action.
func Processes(s *part.Scene, needs keys.Need) (list []Item) {
	known := newProcesses(s)
	for _, node := range s.Job.Nodes {
		n := s.NodeOf(node)
		for i, it := range known.findOnNode(n).items {
			list = append(list, *it)
			if needs&keys.NeedsProcess != 0 {
				t := tally.TargetOf(s.Snap, n, &n.Processes[i])
				list[len(list)-1].Not = t.WhyNoSignal(s.Snap)
			}
		}
	}
	return list
}

// RunningJobs returns the jobs that run.
func RunningJobs(s *part.Scene) (list []Item) {
	for i := range s.Snap.Jobs {
		list = append(list, *ofJob(s, &s.Snap.Jobs[i])[0])
	}
	return list
}

// Nodes returns the nodes of the selected job.
func Nodes(s *part.Scene) (list []Item) {
	for _, it := range ofJob(s, s.Job)[1:] {
		list = append(list, *it)
	}
	return list
}

// Logs returns the jobs with the way to their logs. A job that has ended has a log too.
func Logs(s *part.Scene) (list []Item) {
	for i := range s.Snap.Jobs {
		it := *ofJob(s, &s.Snap.Jobs[i])[0]
		it.Go = nav.Go{Page: keys.OnLog, Job: s.Snap.Jobs[i].ID}
		list = append(list, it)
	}
	for _, it := range otherJobs(s) {
		it.Go = nav.Go{Page: keys.OnLog, Log: it.Also}
		list = append(list, it)
	}
	return list
}

// otherJobs are the jobs that wait, and those that have just ended.
func otherJobs(s *part.Scene) (list []Item) {
	for i := range s.Snap.Discovery.Pending {
		j := &s.Snap.Discovery.Pending[i]
		list = append(list, Item{Text: "job " + j.ID + " " + j.Name + ", waits", Also: j.ID,
			Note: j.Reason, Go: nav.Go{Page: keys.OnJobs, Choice: j.ID}})
	}
	for i := range s.Snap.Discovery.Ended {
		j := &s.Snap.Discovery.Ended[i]
		list = append(list, Item{Text: "job " + j.ID + " " + j.Name + ", " + endWord(j), Also: j.ID,
			Note: j.Cause, Go: nav.Go{Page: keys.OnReport, Report: j.ID}})
	}
	return list
}

// endWord says how a job ended.
func endWord(j *cluster.EndedJob) string {
	if j.State == "" {
		return "ended"
	}
	return strings.ReplaceAll(strings.ToLower(string(j.State)), "_", " ")
}
