package vacancy

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Wish is how many GPUs of what kind are wanted on a node. NaN: there is no such limit.
type Wish struct {
	Least, Most int // number on a node; fewer than Least count as none; Most < 0: all

	MaxMemory   float64 // largest part of its memory that a GPU may have in use, in percent
	FreeMemory  float64 // at least, in bytes
	TotalMemory float64 // at least, in bytes
	MaxUtil     float64 // at most, in percent
	MaxMemUtil  float64 // largest share of the time that its memory may be busy, in percent
	Tolerance   float64 // percent by which limits other than MaxMemory may be missed

	AsFree    []string // users whose GPU memory counts as free
	Inherited bool     // only GPUs that are in Visible
	Visible   []string // in the form of CUDA_VISIBLE_DEVICES
	Sort      bool     // the GPUs with the most free memory first
}

// candidate is a GPU that fits.
type candidate struct {
	*GPU
	free, used float64 // bytes of memory
	missed     int     // number of limits that only fit with the tolerance
}

// Choose returns the GPUs of a node that fit, those that fit without the tolerance first; nil if they are too few. A
// MIG instance is chosen only if no whole GPU is left. Then it is the only one, since a program cannot see more than
// one.
func (w *Wish) Choose(n *Node) []*GPU {
	if n.State != cluster.NodeReporting {
		return nil
	}
	var fits []candidate
	for _, g := range w.visibleGPUs(n) {
		if c, ok := w.compareLimits(g); ok {
			fits = append(fits, c)
		}
	}
	slices.SortStableFunc(fits, func(a, b candidate) int { return cmp.Compare(a.missed, b.missed) })
	if w.Sort {
		slices.SortStableFunc(fits, compareCandidates)
	}
	fits = wholeFirst(fits)
	if w.Most >= 0 {
		fits = fits[:min(len(fits), w.Most)]
	}
	if len(fits) < w.Least {
		return nil
	}
	chosen := make([]*GPU, len(fits))
	for i := range fits {
		chosen[i] = fits[i].GPU
	}
	return chosen
}

// Unmeasured returns the free GPUs of a node whose memory matters to the wish but is unknown: the driver does not give
// it for chips that share the memory of the host.
func (w *Wish) Unmeasured(n *Node) (gpus []*GPU) {
	for _, g := range w.visibleGPUs(n) {
		used, total := g.memoryUse()
		isLimited := !math.IsNaN(w.TotalMemory) && math.IsNaN(total) || !math.IsNaN(w.FreeMemory) && math.IsNaN(total-used)
		if n.State == cluster.NodeReporting && g.State == Free && isLimited {
			gpus = append(gpus, g)
		}
	}
	return gpus
}

// visibleGPUs returns the GPUs to choose from: all of them, or those in Visible in its order. As in CUDA, the list ends
// at the first name that is not a GPU, and there are none if a GPU is named twice.
func (w *Wish) visibleGPUs(n *Node) []*GPU {
	var out []*GPU
	if !w.Inherited {
		for i := range n.GPUs {
			out = append(out, &n.GPUs[i])
		}
		return out
	}
	for _, name := range w.Visible {
		i := slices.IndexFunc(n.GPUs, func(g GPU) bool { return matchesName(&g, name) })
		if i < 0 {
			break
		}
		if slices.Contains(out, &n.GPUs[i]) {
			return nil
		}
		out = append(out, &n.GPUs[i])
	}
	return out
}

// matchesName reports whether an element of CUDA_VISIBLE_DEVICES means this GPU: it is the index, or the beginning of
// the UUID.
func matchesName(g *GPU, name string) bool {
	if name == g.Index {
		return true
	}
	return len(name) > len("GPU-") && len(name) <= len(g.Card.UUID) && strings.EqualFold(g.Card.UUID[:len(name)], name)
}

// compareLimits checks a GPU against the limits.
func (w *Wish) compareLimits(g *GPU) (candidate, bool) {
	used, total := g.memoryUse()
	asFree := w.asFree(g)
	used -= asFree
	c := candidate{GPU: g, free: total - used, used: used}
	percent, known := cluster.Percent(used, total)
	switch {
	case g.State == Out:
		return c, false
	case math.IsNaN(w.MaxMemory):
	case known && percent > w.MaxMemory, !known && g.State != Free:
		return c, false
	}
	t := w.Tolerance / 100
	for _, l := range []struct{ value, limit, loose float64 }{
		{-c.free, -w.FreeMemory, -w.FreeMemory * (1 - t)}, {-total, -w.TotalMemory, -w.TotalMemory * (1 - t)},
		{g.Float(metric.Util), w.MaxUtil, w.MaxUtil + w.Tolerance},
		{g.Float(metric.MemUtil), w.MaxMemUtil, w.MaxMemUtil + w.Tolerance},
	} {
		switch {
		case math.IsNaN(l.limit) || l.value <= l.limit:
		case l.value <= l.loose:
			c.missed++
		default: // also if the value is unknown
			return c, false
		}
	}
	return c, true
}

// asFree returns how much memory on a GPU belongs to users whose memory counts as free.
func (w *Wish) asFree(g *GPU) (bytes float64) {
	for _, p := range g.Processes {
		if p.GPUMemory != nil && slices.Contains(w.AsFree, p.User) {
			bytes += float64(*p.GPUMemory)
		}
	}
	return bytes
}

// compareCandidates orders GPUs: first those that fit without the tolerance, then by most free memory, lowest
// utilization and highest index, which leaves GPU 0 to others.
func compareCandidates(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(a.missed, b.missed), unknownLast(-a.free, -b.free), unknownLast(-a.used, -b.used),
		unknownLast(a.Float(metric.Util), b.Float(metric.Util)),
		unknownLast(a.Float(metric.MemUtil), b.Float(metric.MemUtil)),
		-cmp.Compare(a.Card.Index, b.Card.Index),
	)
}

func unknownLast(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b) // NaN is the smallest
	}
	return cmp.Compare(a, b)
}

// wholeFirst drops all MIG instances if there is a whole GPU, otherwise all instances but the first.
func wholeFirst(fits []candidate) []candidate {
	whole := slices.DeleteFunc(slices.Clone(fits), func(c candidate) bool { return c.Instance() })
	if len(whole) > 0 || len(fits) == 0 {
		return whole
	}
	return fits[:1]
}

// Names returns GPUs in the form of CUDA_VISIBLE_DEVICES: by index, or by UUID if that is wanted or if one is a MIG
// instance, which has no index there.
func Names(gpus []*GPU, uuid bool) []string {
	uuid = uuid || slices.ContainsFunc(gpus, func(g *GPU) bool { return g.Instance() })
	out := make([]string, len(gpus))
	for i, g := range gpus {
		if out[i] = g.Index; uuid {
			out[i] = g.Card.UUID
		}
	}
	return out
}
