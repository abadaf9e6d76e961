package store

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// jobPace compares the GPUs of one job over time, and has the tracks of its findings.
type jobPace struct {
	pace  pace.Job
	begun bool      // at least one comparison has been made
	last  time.Time // of the last comparison
	gap   time.Duration
	whole track
	where nodeOrGPU // of the whole job: its node, if it has only one
	roles []pace.Role
	gpus  map[nodeOrGPU]*gpuTrack
	peers []cluster.Peer // memory for the next comparison
	bare  []*pace.GPU    // likewise

	step stepMeasure

	coupled *rankstacks.Verdict // the verdict in which NCCL said that all GPUs work together; nil: none
}

// addSamples adds the samples of a report to the known work of the node's GPUs.
func (n *nodeRecord) addSamples(at time.Time, fresh bool) {
	paces := n.paces[:0:0]
	host := pace.TrafficOf(&n.Host.Values)
	for i := range n.GPUs {
		g := &n.GPUs[i]
		p := n.work[g.Key]
		if p == nil {
			p = pace.New(g.Card.Name)
			n.work[g.Key] = p
		}
		p.Number, p.Out = g.Number, !g.Reports()
		if fresh && !g.Repeated && !p.Out {
			p.Add(at, &g.Values, host)
		}
		paces = append(paces, p)
	}
	n.paces = paces
	if len(n.work) > 2*clean.MaxGPUs {
		for key := range n.work {
			if n.GPUWith(key) == nil {
				delete(n.work, key)
			}
		}
	}
}

// comparePeers compares the GPUs of the jobs on a node that has reported, each job at most once per interval.
func (s *Store) comparePeers(n *nodeRecord, at time.Time) {
	for _, job := range n.jobs {
		p := s.paces[job.ID]
		if p == nil {
			p = &jobPace{gpus: map[nodeOrGPU]*gpuTrack{}}
			s.paces[job.ID] = p
		}
		// an interval ends a little early, so that a report that comes slightly sooner does not have to wait
		if each := history.BinWidth(s.poll, 0); at.Sub(p.last) >= each-each/20 {
			s.compareJob(p, &job.Job, at)
		}
	}
}

// compareJob steps the conditions of a job's GPUs.
func (s *Store) compareJob(p *jobPace, job *cluster.Job, at time.Time) {
	peers := s.gatherPeers(p, job, at)
	now := stepTime{at: at, gap: p.gap, first: !p.begun}
	p.last, p.begun = at, true
	p.where = nodeOrGPU{number: cluster.NoNumber}
	if len(job.Nodes) == 1 {
		p.where.node = job.Nodes[0]
	}
	var held []cluster.Condition
	if job.Suspended {
		for _, g := range p.bare {
			g.Rest(at)
		}
	} else {
		p.pace.Known = s.isCoupled(p, job, len(p.bare)+peers.Away)
		p.pace.Compare(at, p.bare, at.Sub(job.Start) < youth)
		p.roles = p.pace.Roles(p.bare)
		held = s.rules(cluster.Subject{Scope: cluster.ScopePeers, Job: job, Peers: &peers,
			Progress: s.knownProgress(job.ID), Discovery: &s.disc})
	}
	p.stepTracks(held, now)
	s.measureStep(p, job, at)
	clear(p.peers) // otherwise it would keep earlier data of nodes
}

// isCoupled reports whether NCCL has said that all n GPUs of a job work together. This does not count while the job
// starts: programs whose ranks work alone often begin with one collective of all. It holds only for the processes that
// were asked: the job's next program may be of another kind.
func (s *Store) isCoupled(p *jobPace, job *cluster.Job, n int) bool {
	if d := s.stacks[job.ID]; d != nil && d.NCCL != nil && d.NCCL.Coupled >= n && d.Time.Sub(job.Start) >= youth {
		p.coupled = d
	}
	return n > 1 && p.coupled != nil && p.coupled.NCCL.Coupled >= n && s.runsOne(p.coupled)
}

// runsOne reports whether a process whose stack was read still runs, or may still run.
func (s *Store) runsOne(d *rankstacks.Verdict) bool {
	for _, g := range d.Groups {
		for i := range g.Ranks {
			r := &g.Ranks[i]
			n := s.nodes[r.Node]
			if n == nil || !n.Listed || !n.ListedAt.After(d.Time) || n.ListsProcess(r.PID, r.StartTicks) {
				return true
			}
		}
	}
	return false
}

// youth is the age of a job up to which its GPUs' behavior does not count as usual: programs start, and load their
// data.
const youth = 3 * time.Minute

// gatherPeers collects the GPUs of a job that report, on nodes where the job's GPUs are known. A GPU shared by several
// jobs is compared in the first of them.
func (s *Store) gatherPeers(p *jobPace, job *cluster.Job, at time.Time) cluster.Peers {
	all := cluster.Peers{At: at, Pace: &p.pace, GPUs: p.peers[:0]}
	p.bare, p.gap = p.bare[:0], 3*history.BinWidth(s.poll, 0)
	for number, name := range job.Nodes {
		n := s.nodes[name]
		if n == nil {
			all.Away++
			continue
		}
		if state, _ := n.stateAt(at); state != cluster.NodeReporting {
			count, _ := job.GPUsOn(name)
			all.Away += max(count, 1)
			continue
		}
		p.gap = max(p.gap, n.Patience())
		share := job.Share(&n.Node)
		if !share.Known {
			continue
		}
		before, lost := len(all.GPUs), 0
		for i, g := range n.paces {
			if !share.Has(&g.Number) || n.instances > 0 && n.GPUs[i].Instance() || len(n.jobs) > 1 &&
				n.firstJob(&g.Number) != job.ID {
				continue
			}
			if g.Begin(job.ID); g.Out {
				all.Away, lost = all.Away+1, lost+1
				continue
			}
			g.Node = number
			all.GPUs = append(all.GPUs, cluster.Peer{GPU: g, Node: &n.Node, Own: &n.GPUs[i]})
			p.bare = append(p.bare, g)
		}
		shared := len(n.jobs) > 1 || len(all.GPUs)-before+lost < len(n.paces)
		for _, g := range p.bare[len(p.bare)-(len(all.GPUs)-before):] {
			g.Shared = shared
		}
	}
	p.peers = all.GPUs
	return all
}

// firstJob returns the ID of the first job that has the GPU with this number.
func (n *nodeRecord) firstJob(number *int) string {
	for _, t := range n.jobs {
		if share := t.Share(&n.Node); share.Known && share.Has(number) {
			return t.ID
		}
	}
	return ""
}

// stepTracks steps the tracks of the job and its GPUs.
func (p *jobPace) stepTracks(held []cluster.Condition, now stepTime) {
	var whole []cluster.Condition
	ofGPUs, lag := map[nodeOrGPU][]cluster.Condition{}, map[nodeOrGPU]*pace.GPU{}
	for _, c := range held {
		if c.Of == nil {
			whole = append(whole, c)
			continue
		}
		by := c.Compared
		if by != nil && by.Bout != cluster.NoBout {
			c.Of.Bout(now.at, p.pace.Step, by.Own, by.Median)
		}
		switch {
		case by != nil && by.Bout == cluster.Noted:
			continue
		case by != nil && by.Rhythm != nil && by.Bout == cluster.NoBout: // it lags, but not at this moment
		case c.Kind == cluster.KindLag && c.Unclear:
			c.Of.Waits(now.at)
		case c.Kind == cluster.KindLag:
			c.Of.Lags(now.at, now.gap, c.Mild)
		}
		at := nodeOrGPU{node: c.Of.Node.Name, key: c.Of.Own.Key}
		if c.Kind == cluster.KindLag {
			lag[at] = c.Of.GPU
		}
		if p.gpus[at] == nil {
			p.gpus[at] = &gpuTrack{}
		}
		p.gpus[at].nodeOrGPU = nodeOrGPU{at.node, c.Of.Own.Number, at.key}
		c.Of = nil
		ofGPUs[at] = append(ofGPUs[at], c)
	}
	p.whole.stepSpells(whole, now)
	for at, track := range p.gpus {
		if track.stepSpells(ofGPUs[at], now); track.isEmpty() {
			delete(p.gpus, at)
		} else if lag[at] != nil && track.hasWarning(cluster.KindLag) {
			lag[at].LagTold = now.at
		}
	}
}

// isLive reports whether the last comparison is current: the next one is not overdue.
func (p *jobPace) isLive(now time.Time) bool { return now.Sub(p.last) <= p.gap }

// addPeers adds the findings of the comparison of a job's GPUs. They are live until the next comparison is overdue.
func (all *notices) addPeers(p *jobPace, nodes map[string]*cluster.Node, now time.Time) {
	live := p.isLive(now)
	reporting := &cluster.Node{State: cluster.NodeReporting}
	all.addSubject(reporting, &p.where, p.whole.asOf(now), live, true)
	for _, g := range p.gpus {
		if n := nodes[g.node]; n != nil {
			all.addSubject(n, &g.nodeOrGPU, g.asOf(now), live && n.HasNumbers(), true)
		}
	}
}
