package demo

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// In a Demo that hangs, the training job stopped some minutes before the start: the rank that lags in other demos waits
// for data forever, and the others wait for it in a collective.
const hungFor = 4*time.Minute + 10*time.Second

// Hang makes the training job hang, without any other fault. Call it before Run.
func (d *Demo) Hang() *Demo {
	d.world.hangs = true
	for _, h := range d.world.hosts {
		if !h.isTraining() {
			continue
		}
		h.plot = quietLife
		for g := range h.gpus {
			h.gpus[g].fate &= lags
		}
	}
	return d
}

// hangsAt reports whether the job of a host hangs at now.
func (w *world) hangsAt(h *host, now time.Duration) bool {
	return w.hangs && now >= told-hungFor && h.isTraining()
}

// isTraining reports whether the host belongs to the training job.
func (h *host) isTraining() bool { return h.gpus[0].use.job == trainingID }

// readStacks returns where processes are. Each is followed by the processes that load its data.
func (n probe) readStacks(ids []wire.ProcessID) (list []wire.ProcessStacks) {
	for _, id := range ids {
		p, gpu, err := n.identifyProcess(id)
		switch {
		case err != nil:
			list = append(list, wire.ProcessStacks{ProcessID: id,
				Refusal: &wire.Refusal{ID: wire.RefusedGone, Cause: err.Error()}})
		case p.User != me:
			list = append(list, wire.ProcessStacks{ProcessID: id, Name: p.Name, Refusal: &wire.Refusal{
				ID: wire.RefusedUser, Cause: "it belongs to " + p.User}})
		default:
			does, ticks, line := n.processActivity(p, gpu)
			_, loaders, _ := n.findRelatives(gpu, p)
			list = append(list, site.ProcessStacks(p, does, ticks, line, loaders)...)
		}
	}
	return list
}

// processActivity returns what the process on a GPU does, with its CPU time. In a job that works, most ranks are in a
// collective, and each is elsewhere from time to time.
func (n probe) processActivity(p *wire.Process, gpu int) (what site.Doing, ticks uint64, line int) {
	waits := n.gpus[gpu].fate&lags != 0
	elsewhere := n.world.fixedNoise('K', n.number, gpu, int64(n.now/time.Second))
	ticks = uint64(max(*p.ElapsedSec, 0)) * 95
	switch hangs := n.world.hangsAt(n.host, n.now); {
	case p.State == "T":
		return site.Generating, 1 << 20, 0
	case hangs && waits:
		return site.Hanging, 1 << 20, 0 // it has not grown since
	case hangs:
		return site.Reducing, 1 << 20, 0
	case waits && isWithin(n.now, lagBegins, lagEnds):
		return site.Loading, ticks, 0
	case !n.isTraining():
		return site.Generating, ticks, int(elsewhere * 9)
	case elsewhere > 0.12:
		return site.Reducing, ticks, 0
	}
	return site.Computing, ticks, 0
}
