package demo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// probe answers requests to a node at one moment.
type probe struct {
	*host
	world *world
	now   time.Duration
}

// answerRequest returns the answer of a node's probe to a request.
func (n probe) answerRequest(r *wire.Request) wire.Reply {
	reply := wire.Reply{ID: r.ID}
	var err error
	switch {
	case r.Environ != nil:
		reply.Environ, err = n.readEnviron(*r.Environ)
	case r.Process != nil:
		var p *wire.Process
		if p, _, err = n.identifyProcess(*r.Process); err == nil {
			reply.Process = site.ProcessDetails(p, me)
		}
	case r.Inspect != nil:
		var p *wire.Process
		var gpu int
		if p, gpu, err = n.identifyProcess(r.Inspect.ProcessID); err == nil {
			reply.Inspected = site.InspectProcess(p, me, r.Inspect.Memory)
			reply.Inspected.Nice = new(n.gpus[gpu].nice)
		}
	case r.RAS != nil:
		reply.RAS, err = n.answerRAS(r.RAS)
	case r.Stacks != nil: // as if the ranks had been followed for some time
		n.now += r.Stacks.Over()
		reply.Stacks, reply.ReadMS = n.readStacks(r.Stacks.Processes), uint64((n.uptimeAtStart()+n.now)/time.Millisecond)
	case r.Signal != nil:
		for _, id := range r.Signal.Processes {
			reply.Signaled = append(reply.Signaled, n.signalProcess(id, r.Signal))
		}
	case r.Family != nil:
		reply.Family, reply.ReadMS = n.processFamily(r.Family.PIDs), uint64((n.uptimeAtStart()+n.now)/time.Millisecond)
	}
	if err != nil {
		return wire.Reply{ID: r.ID, Error: err.Error()}
	}
	return reply
}

// findProcess returns the process with this PID and its GPU; nil: there is none.
func (n probe) findProcess(pid int) (p *wire.Process, gpu int) {
	for g := range n.gpus {
		if n.world.hasProcess(n.host, g, n.now) {
			if p := n.world.makeProcess(n.host, g, n.now); p.PID == pid {
				return &p, g
			}
		}
	}
	return nil, 0
}

// identifyProcess returns the process with this id, or the reason why there is none.
func (n probe) identifyProcess(id wire.ProcessID) (*wire.Process, int, error) {
	p, gpu := n.findProcess(id.PID)
	switch {
	case p == nil:
		return nil, 0, fmt.Errorf("no process %d", id.PID)
	case p.StartTicks != id.StartTicks:
		return nil, 0, fmt.Errorf("pid %d has been reused", id.PID)
	}
	return p, gpu, nil
}

func (n probe) signalProcess(id wire.ProcessID, by *wire.Signal) wire.Signaled {
	p, gpu := n.findProcess(id.PID)
	switch {
	case p == nil:
		return wire.Signaled{PID: id.PID, Error: "has exited", ErrorID: wire.SignalGone}
	case p.StartTicks != id.StartTicks:
		return wire.Signaled{PID: id.PID, Error: "has exited, and another process has this PID now",
			ErrorID: wire.SignalReused}
	case p.User != me:
		return wire.Signaled{PID: id.PID, Error: "belongs to " + p.User, ErrorID: wire.SignalOtherUser}
	}
	if by.Schedule != nil {
		n.gpus[gpu].reschedule(by.Schedule)
		return wire.Signaled{PID: id.PID}
	}
	n.gpus[gpu].applySignal(by.Number, n.now)
	return wire.Signaled{PID: id.PID}
}

func (n probe) readEnviron(id wire.ProcessID) (*wire.Environ, error) {
	p, gpu, err := n.identifyProcess(id)
	if err != nil {
		return nil, err
	}
	if p.User != me {
		return nil, fmt.Errorf("process %d belongs to %s: you can only read the environment of your own processes",
			id.PID, p.User)
	}
	s := &n.gpus[gpu]
	return &wire.Environ{Variables: site.Environ(me, &jobOf(n.world.jobs, s.use).Job, site.Rank{Node: n.name,
		Directory: p.Directory, Rank: s.rank, Local: s.local, World: s.use.ranks})}, nil
}

// jobOf returns the job of one of the user's programs.
func jobOf(jobs []simJob, u *gpuProgram) *simJob {
	return &jobs[max(slices.IndexFunc(jobs, func(j simJob) bool { return j.Number == u.job }), 0)]
}

// processFamily returns the relatives of processes: slurmstepd, the script and its descendants, all other ranks of the
// same program, and the processes that load their data.
func (n probe) processFamily(pids []int) []wire.Relative {
	at := map[int]wire.Relative{}
	for g := range n.gpus {
		if !n.world.hasProcess(n.host, g, n.now) {
			continue
		}
		p := n.world.makeProcess(n.host, g, n.now)
		self, under, over := n.findRelatives(g, &p)
		wanted := func(of ...wire.Relative) bool {
			return slices.ContainsFunc(of, func(r wire.Relative) bool { return slices.Contains(pids, r.PID) })
		}
		if !wanted(over...) && !wanted(self) && !wanted(under...) {
			continue
		}
		for _, r := range slices.Concat(over, []wire.Relative{self}, under) {
			at[r.PID] = r
		}
	}
	return slices.SortedFunc(maps.Values(at), func(a, b wire.Relative) int { return cmp.Compare(a.PID, b.PID) })
}

// findRelatives returns the process on a GPU, its children and its ancestors.
func (n probe) findRelatives(gpu int, p *wire.Process) (self wire.Relative, under, over []wire.Relative) {
	age := *p.ElapsedSec
	relative := func(pid, parent int, command string, later int64, rss uint64, busy float64) wire.Relative {
		elapsed := max(age-later, 0)
		ticks := max(int64((n.uptimeAtStart()+n.now)/(10*time.Millisecond))-int64(p.StartTicks)-100*later, 0)
		return wire.Relative{
			ProcessID: wire.ProcessID{PID: pid, StartTicks: uint64(int64(p.StartTicks) + 100*later)}, Parent: parent,
			UID: p.UID, User: p.User,
			Name: strings.TrimPrefix(strings.Fields(command)[0], "/opt/gromacs/bin/"), Command: command, State: "S",
			CPUTicks: new(uint64(float64(ticks) * busy / 100)), RSS: &rss, ElapsedSec: &elapsed,
		}
	}
	agent := n.launcherPID(n.gpus[gpu].use)
	self = relative(p.PID, agent, p.Command, 0, *p.RSS, 100)
	self.State = p.State
	for i := range 2 {
		under = append(under, relative(p.PID+1+i, p.PID, p.Command, 4, 1400<<20+uint64(gpu)<<20, 31))
	}
	step := relative(agent-2, 0, "slurmstepd: ["+p.Job+".0]", -9, 14<<20, 0.02)
	step.UID, step.User, step.Name = new(0), "root", "slurmstepd"
	script := relative(agent-1, agent-2, "/bin/bash /var/spool/slurmd/job"+p.Job+"/slurm_script", -9, 4<<20, 0)
	script.Name = "slurm_script"
	starts := "/bin/sh -c " + p.Command
	if p.Rank != nil {
		starts = "python -m torch.distributed.run --nproc-per-node 8 " +
			strings.TrimPrefix(strings.TrimPrefix(p.Command, "python "), "-u ")
	}
	return self, under, []wire.Relative{step, script, relative(agent, agent-1, starts, -6, 310<<20, 0.4)}
}
