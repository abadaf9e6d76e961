package store

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	// The time of a step is measured this often, with at most so many GPUs of a job: it costs some milliseconds.
	measuredEach, measuredGPUs = 30 * time.Second, 32

	// unlike is the share by which it may differ from what the log says.
	unlike = 0.1
)

// stepMeasure is the time of a job's steps, as the power of its GPUs shows it.
type stepMeasure struct {
	at    time.Time     // of the last measurement
	takes time.Duration // 0: not clear
	wrong bool          // the log said something else, so it is not the time of a step
}

// measureStep measures the time of a step, and compares it with the job's log.
func (s *Store) measureStep(p *jobPace, job *cluster.Job, at time.Time) {
	if at.Sub(p.step.at) < measuredEach {
		return
	}
	p.step.at, p.step.takes = at, 0
	if !job.Suspended && showsSteps(s.poll, s.span) {
		p.step.takes = progress.StepTime(s.powerSince(p.peers, job.Start), s.poll)
	}
	known := s.knownProgress(job.ID)
	if p.step.takes > 0 && known != nil && known.SecondsPerStep != nil {
		p.step.wrong = math.Abs(p.step.takes.Seconds() / *known.SecondsPerStep - 1) > unlike
	}
}

// showsSteps reports whether each bin of histories has one sample. A mean of several is no sample of the power.
func showsSteps(poll, span time.Duration) bool { return history.BinWidth(poll, span) == poll }

// powerSince returns the power of some of the GPUs since a time, as far as it is kept. The next call overwrites it.
func (s *Store) powerSince(peers []cluster.Peer, start time.Time) []progress.PowerPast {
	var gpus []*cluster.GPU
	for i := 0; i < len(peers); i += (len(peers) + measuredGPUs - 1) / measuredGPUs {
		gpus = append(gpus, peers[i].Own)
	}
	newest := trend.Edge(gpus...)
	n := int(min(newest-start.UnixNano()/int64(s.poll), int64(history.Len(s.poll, s.span))))
	for i, g := range gpus {
		if i == len(s.power) {
			s.power = append(s.power, progress.PowerPast{})
		}
		to := &s.power[i]
		tail := func(to *[]float32, id metric.ID) { *to = g.History.Tail(*to, id, newest, max(n, 0)) }
		tail(&to.Mean, history.MeanPower)
		tail(&to.Now, metric.Power)
		tail(&to.Clock, metric.SMClock)
	}
	return s.power[:len(gpus)]
}

// addTo returns how far the program is, with the time of a step if the log says nothing of steps.
func (m *stepMeasure) addTo(known *cluster.JobProgress, job string) *cluster.JobProgress {
	if m.takes == 0 || m.wrong || known != nil && (known.Step != nil || known.SecondsPerStep != nil) {
		return known
	}
	with := cluster.JobProgress{Job: job}
	if with.At = m.at; known != nil {
		with = *known
	}
	seconds := m.takes.Seconds()
	with.SecondsPerStep, with.Source = &seconds, progress.Measured
	return &with
}

// meanPower returns the mean power of a GPU since the last report, from its energy counter; NaN: unknown, or not
// needed, or that was not about an interval ago.
func (n *nodeRecord) meanPower(g *cluster.GPU) float64 {
	watts, over, known := g.Lately(metric.Energy)
	isNew := known && !g.Repeated && !g.Values.Empty()
	if !isNew || !showsSteps(n.poll, n.span) || over < n.poll*7/10 || over > n.poll*3/2 {
		return math.NaN()
	}
	return watts
}
