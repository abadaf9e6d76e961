package say

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func nvlinkDown(w *Words, e evidence) {
	links, up, known := signs.LinksOf(e.gpu)
	gpus := 0
	if e.every {
		links, up, gpus = signs.SameLinks(e.node)
		known = gpus > 0
	}
	if !known {
		return
	}
	var down []int
	for i := range links {
		if up>>i&1 == 0 {
			down = append(down, i)
		}
	}
	count := fmt.Sprintf("%d/%d", bits.OnesCount64(up), links)
	w.Flag, w.Short = "NVLINK "+count, w.One+", "+count+" up"
	w.Long, w.Sentence = w.Short, fmt.Sprintf("NVLink down, %s up: %s down.", count, linksAre(down))
	w.Hint = "collectives go over PCIe or fail: move the job and report it to your admins"
	if gpus > 0 {
		w.Long = fmt.Sprintf("NVLink down on %s, %s up", allGPUs(gpus), count)
		w.Sentence = fmt.Sprintf("NVLink down, %s up on %s of the node: %s down on each, which points to an NVSwitch.", count,
			allGPUs(gpus), linksAre(down))
	}
}

// linksAre returns "link 3 is", "links 3 and 7 are", "links 0-3, 7 are".
func linksAre(numbers []int) string {
	switch len(numbers) {
	case 1:
		return fmt.Sprintf("link %d is", numbers[0])
	case 2:
		return fmt.Sprintf("links %d and %d are", numbers[0], numbers[1])
	}
	return "links " + inRanges(numbers) + " are"
}

// fabricStates are the values of metric.FabricState before the last, in the words of nvidia-smi.
var fabricStates = map[float64]string{1: "not started", 2: "in progress"}

// fabricState names the state of the registration with the NVLink fabric, and the consequence of a failure.
func fabricState(w *Words, e evidence) {
	who, of := "This GPU is", []*cluster.GPU{e.gpu}
	if e.every {
		of = signs.WithMetric(e.node, metric.FabricState)
		who = fmt.Sprintf("The %d GPUs of the node are", len(of))
	}
	if len(of) == 0 || !of[0].Values.Has(metric.FabricState) {
		return
	}
	state := of[0].Float(metric.FabricState)
	how := cmp.Or(fabricStates[state], fmt.Sprintf("state %.0f", state))
	if status := of[0].Float(metric.FabricStatus); status > 0 {
		how = fmt.Sprintf("status %.0f", status)
	}
	w.Flag, w.Long, w.Short = "FABRIC", "not in the NVLink fabric: "+how, "no NVLink fabric"
	w.Sentence = who + " not registered with the NVLink fabric (" + how +
		"): CUDA fails with error 802, system not yet initialized."
	w.Hint = "the fabric manager does not run or has failed: move the job and report it to your admins"
	if e.severity < cluster.Critical {
		w.Sentence = who + " not registered with the NVLink fabric (" + how +
			"): programs that start now may fail with CUDA error 802."
		w.Hint = "look at the fabric manager: report it to your admins"
	}
}

func fabricDegraded(w *Words, e evidence) {
	faults, from := signs.FabricFaults(e.gpu), signs.FabricRecoveries(e.gpu)
	switch {
	case len(faults) > 0:
		w.Long = "NVLink fabric: " + strings.Join(faults, ", ")
		w.Hint = "collectives over this GPU are slow or fail: report it to your admins"
	case len(from) > 0:
		w.Long = "NVLink fabric recovers from " + strings.Join(from, " and ")
		w.Hint = "collectives may stall until then"
	default:
		return
	}
	w.Flag, w.Short, w.Sentence = "FABRIC", w.One, w.Long+"."
}

// differentClique names the clique of the GPU and that of the others.
func differentClique(w *Words, e evidence) {
	own, its := signs.CliqueOf(e.gpu)
	most, gpus, known := signs.Clique(e.node)
	if !its || !known {
		return
	}
	mine, theirs := fmt.Sprintf("clique %.0f", own.ID), fmt.Sprintf("in clique %.0f", most.ID)
	if own.Domain != most.Domain {
		mine, theirs = "domain "+cmp.Or(own.Domain, "none"), "in "+cmp.Or(most.Domain, "none")
	}
	w.Flag, w.Long, w.Short = "CLIQUE", w.One+": "+mine, w.One
	w.Sentence = fmt.Sprintf("NVLink does not connect this GPU with the %d others of the node: it is in %s, they are %s.",
		gpus, mine, theirs)
	w.Hint = "collectives with it go over PCIe or the network, or fail: report it to your admins"
}

func nvlinkErrors(w *Words, e evidence) {
	var now []string
	for _, c := range []struct {
		id        metric.ID
		one, many string
	}{{metric.NVLinkCRC, "CRC error", "CRC errors"}, {metric.NVLinkReplays, "replay", "replays"},
		{metric.NVLinkRecoveries, "recovery", "recoveries"}} {
		if pace := signs.PerMinute(e.gpu, c.id); pace > 0 {
			now = append(now, formatAmount(pace, c.one, c.many))
		}
	}
	if len(now) == 0 {
		return
	}
	w.Flag, w.Long, w.Short = "!NVLINK", "NVLink errors: "+now[0]+" a minute", "NVLink errors"
	w.Sentence = fmt.Sprintf("NVLink errors: %s a minute; %s.", strings.Join(now, ", "),
		errorsSoFar(e.gpu, metric.NVLinkCRC, metric.NVLinkReplays, metric.NVLinkRecoveries))
	w.Hint = "a link or its other end is going bad: report it to your admins"
}

// formatAmount returns "1 replay", "1.5 replays", "2 recoveries".
func formatAmount(count float64, one, many string) string {
	switch {
	case count == 1:
		return "1 " + one
	case count < 10 && count != math.Trunc(count):
		return fmt.Sprintf("%.1f %s", count, many)
	}
	return fmt.Sprintf("%.0f %s", count, many)
}

// errorsSoFar returns the number of errors since nvnodetop began to watch a GPU, and before.
func errorsSoFar(g *cluster.GPU, ids ...metric.ID) string {
	watched, total := 0.0, 0.0
	for _, id := range ids {
		grown, _ := g.Grown(id)
		count, _ := g.Get(id)
		watched, total = watched+grown, total+count
	}
	if total < watched {
		total = watched
	}
	return fmt.Sprintf("%.0f in the %s watched, %.0f since driver load", watched, formatDuration(g.Watched()), total)
}

func pcieNarrow(w *Words, e evidence) {
	width, widthMax := e.gpu.Float(metric.PCIeWidth), e.gpu.Float(metric.PCIeWidthMax)
	gen, genMax := e.gpu.Float(metric.PCIeGen), e.gpu.Float(metric.PCIeGenMax)
	var how []string
	if width < widthMax {
		how = append(how, fmt.Sprintf("at x%.0f of x%.0f", width, widthMax))
		w.Flag = fmt.Sprintf("PCIE x%.0f", width)
	}
	if gen < genMax {
		how = append(how, fmt.Sprintf("at generation %.0f of %.0f", gen, genMax))
		if w.Flag == "" {
			w.Flag = fmt.Sprintf("PCIE gen%.0f", gen)
		}
	}
	if len(how) == 0 {
		return
	}
	w.Long, w.Short = "PCIe "+strings.Join(how, ", "), w.Flag
	w.Sentence = "PCIe runs " + strings.Join(how, " and ") + "."
	w.Hint = "transfers to and from this GPU are slower: report it to your admins"
}

func pcieReplays(w *Words, e evidence) {
	pace := signs.PerMinute(e.gpu, metric.PCIeReplays)
	if pace == 0 {
		return
	}
	w.Flag, w.Long, w.Short = "!PCIE", formatAmount(pace, "PCIe replay", "PCIe replays")+" a minute", "PCIe replays"
	link := ""
	if gen, width := e.gpu.Float(metric.PCIeGen), e.gpu.Float(metric.PCIeWidth); gen*width > 0 { // both are known
		link = fmt.Sprintf(" at generation %.0f x%.0f", gen, width)
	}
	w.Sentence = w.Long + link + "; " + errorsSoFar(e.gpu, metric.PCIeReplays) + "."
	w.Hint = "a bad PCIe slot, riser or cable: report it to your admins"
}
