package web

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// clusterAnswers has SLURM's last answer about the GPUs of the cluster. A request begins the next question, and does
// not wait for it: how often SLURM is asked is up to the source.
type clusterAnswers struct {
	mu    sync.Mutex // protects the following
	asks  bool
	known *capacity.Cluster
	why   string // why the last question has no answer; "": it has
}

// clusterPart is what is known of the GPUs of the cluster.
type clusterPart struct {
	Time    time.Time         `json:"time"`
	Error   string            `json:"error,omitempty"` // why the last question has no answer
	Cluster *capacity.Cluster `json:"cluster,omitempty"`
}

// clusterPatience is how long a question may take.
const clusterPatience = 3 * time.Minute

// serveCluster answers with the GPUs that SLURM can give to jobs.
func (s *Server) serveCluster(w http.ResponseWriter, _ *http.Request) {
	s.looks.noteRequest(false)
	c := &s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asks {
		c.asks = true
		crash.Go(s.askCluster)
	}
	sendFresh(w, clusterPart{Time: s.Now(), Error: c.why, Cluster: c.known})
}

// askCluster asks for the GPUs of the cluster. An old answer stays if there is no new one.
func (s *Server) askCluster() {
	const most = 400
	ctx, cancel := context.WithTimeout(s.ending, clusterPatience)
	defer cancel()
	got, err := s.Cluster(ctx, false)
	c := &s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asks, c.why = false, ""; err != nil {
		c.why = safe.Line(err.Error(), most)
		return
	}
	c.known = got
}

// stacksPart is where the ranks of a job were when they were asked last.
type stacksPart struct {
	Time   time.Time      `json:"time"`
	Stacks *schema.Stacks `json:"stacks,omitempty"` // absent: they have not been asked
}

// serveStacks answers with what the ranks of a job have said. It asks none of them.
func (s *Server) serveStacks(w http.ResponseWriter, r *http.Request) {
	s.looks.noteRequest(false)
	snap := s.states.newestState().snap
	job := snap.JobWith(r.PathValue("name"))
	if job == nil {
		failNotFound(w, "there is no running job of this name")
		return
	}
	part := stacksPart{Time: snap.At}
	if d := snap.Stacks[job.ID]; d != nil {
		part.Stacks = export.Stacks(d)
	}
	sendFresh(w, part)
}

// sendFresh answers with JSON that nobody keeps.
func sendFresh(w http.ResponseWriter, part any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(part) // nobody is left to tell
}
