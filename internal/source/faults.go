package source

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// faultsEvery is how often new faults of nodes are looked for.
const faultsEvery = time.Minute

// keepFaults keeps the faults of the nodes of the user's jobs, if the Source keeps anything of jobs.
func (w *Watch) keepFaults() {
	for from := range w.eachSource {
		if k, keeps := from.(interface{ KeepsRuns() (path, user string) }); keeps {
			if path, user := k.KeepsRuns(); path != "" {
				crash.Go(func() { w.followFaults(path, user) })
			}
			return
		}
	}
}

// followFaults keeps new faults until no more Events will come.
func (w *Watch) followFaults(path, user string) {
	known := map[string]runs.Run{}
	for pause(w.ctx, faultsEvery) {
		keepNewFaults(w.Look(time.Now()), path, user, known)
	}
}

// keepNewFaults keeps the faults of a Snapshot that are not known yet, by the ID of their job. If the file cannot be
// written, the next call tries again.
func keepNewFaults(s *cluster.Snapshot, path, user string, known map[string]runs.Run) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.ID == "" || j.User != user {
			continue
		}
		was := known[j.ID]
		r := runs.Run{Job: j.ID, User: j.User, Name: j.Name, Seen: s.At}
		for _, f := range was.Faults {
			r = r.With(f)
		}
		for k := range j.Findings {
			if f, is := runs.FaultOf(&j.Findings[k]); is {
				r = r.With(f)
			}
		}
		if len(r.Faults) > len(was.Faults) && runs.Keep(path, s.At, r) == nil {
			known[j.ID] = r
		}
	}
}
