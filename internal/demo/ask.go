package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Ask answers as the probe of a node would, of the simulated processes.
func (d *Demo) Ask(_ context.Context, node string, r wire.Request) (wire.Reply, error) {
	for _, h := range d.world.hosts {
		if h.name == node {
			return d.world.answer(h, time.Since(d.world.begin), r), nil
		}
	}
	return wire.Reply{}, fmt.Errorf("%q is not watched", node)
}

func (w *world) answer(h *host, now time.Duration, r wire.Request) wire.Reply {
	id := r.Environ
	if id == nil {
		id = r.Process
	}
	if id == nil {
		return wire.Reply{Error: "a demo answers only what is asked of a process"}
	}
	for _, p := range w.processes(h, now) {
		switch {
		case p.PID != id.PID:
		case p.StartTicks != id.StartTicks:
			return wire.Reply{Error: fmt.Sprintf("pid %d is another process now", p.PID)}
		case r.Process != nil:
			return wire.Reply{Process: details(p)}
		case p.User != me:
			return wire.Reply{Error: fmt.Sprintf("process %d is %s's: only one's own processes tell their environment", p.PID, p.User)}
		default:
			return wire.Reply{Environ: &wire.Environ{Variables: []string{
				"HOME=/home/" + me, "USER=" + me, "SLURM_JOB_ID=" + p.Job, "SLURM_JOB_NODELIST=" + h.name, "SLURM_LOCALID=" + strconv.Itoa(p.GPU),
				"NCCL_DEBUG=WARN", "WANDB_API_KEY=this-is-a-demo", "PATH=/usr/local/bin:/usr/bin:/bin",
			}}}
		}
	}
	return wire.Reply{Error: fmt.Sprintf("there is no process %d", id.PID)}
}

func details(p wire.Process) *wire.Details {
	arguments := strings.Fields(p.Command)
	return &wire.Details{
		ProcessID: wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}, Parent: p.PID - 2, State: "R", Threads: 96,
		User: p.User, UID: p.UID, Name: p.Name, Arguments: arguments, Job: p.Job, ElapsedSec: p.ElapsedSec,
		Cgroup:     "/system.slice/slurmstepd.scope/job_" + p.Job + "/step_0/user/task_" + strconv.Itoa(p.GPU),
		Executable: "/usr/bin/" + p.Name, Directory: "/home/" + p.User,
	}
}
