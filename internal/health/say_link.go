package health

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

func nvlinkDown(w *Words, e evidence) {
	links, up, known := linksOf(e.gpu)
	if !known {
		return
	}
	var down []int
	for i := range links {
		if up>>i&1 == 0 {
			down = append(down, i)
		}
	}
	now := bits.OnesCount64(up)
	w.Flag = fmt.Sprintf("LINK %d/%d", now, links)
	w.Long, w.Short = fmt.Sprintf("%d of %d NVLinks down", len(down), links), fmt.Sprintf("NVLink %d/%d", now, links)
	w.Sentence = fmt.Sprintf("NVLink %s down (%d of %d up).", numbersAre(down), now, links)
	w.Hint = "collectives go over PCIe or fail: move the job and report it to your admins"
}

// numbersAre returns "3 is", "3 and 7 are", "0-3, 7 are".
func numbersAre(numbers []int) string {
	switch len(numbers) {
	case 1:
		return strconv.Itoa(numbers[0]) + " is"
	case 2:
		return fmt.Sprintf("%d and %d are", numbers[0], numbers[1])
	}
	return ranges(numbers) + " are"
}

func nvlinkErrors(w *Words, e evidence) {
	var now []string
	for _, c := range []struct {
		id        metric.ID
		one, many string
	}{{metric.NVLinkCRC, "CRC error", "CRC errors"}, {metric.NVLinkReplays, "replay", "replays"}, {metric.NVLinkRecoveries, "recovery", "recoveries"}} {
		if pace := perMinute(e.gpu, c.id); pace > 0 {
			now = append(now, amount(pace, c.one, c.many))
		}
	}
	if len(now) == 0 {
		return
	}
	w.Flag, w.Long, w.Short = "!LINK", "NVLink: "+now[0]+" a minute", "NVLink errors"
	w.Sentence = fmt.Sprintf("NVLink: %s a minute; %s.", strings.Join(now, ", "), ever(e.gpu, metric.NVLinkCRC, metric.NVLinkReplays, metric.NVLinkRecoveries))
	w.Hint = "a link or its other end is going bad: report it to your admins"
}

// amount returns "1 replay", "1.5 replays", "2 recoveries".
func amount(count float64, one, many string) string {
	switch {
	case count == 1:
		return "1 " + one
	case count < 10 && count != math.Trunc(count):
		return fmt.Sprintf("%.1f %s", count, many)
	}
	return fmt.Sprintf("%.0f %s", count, many)
}

// ever returns how many errors there were since a GPU is watched, and before.
func ever(g *cluster.GPU, ids ...metric.ID) string {
	watched, total := 0.0, 0.0
	for _, id := range ids {
		grown, _ := g.Grown(id)
		count, _ := g.Get(id)
		watched, total = watched+grown, total+count
	}
	if total < watched {
		total = watched
	}
	return fmt.Sprintf("%.0f in the %s watched, %.0f since driver load", watched, span(g.Watched()), total)
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
	pace := perMinute(e.gpu, metric.PCIeReplays)
	if pace == 0 {
		return
	}
	w.Flag, w.Long, w.Short = "!PCIE", amount(pace, "PCIe replay", "PCIe replays")+" a minute", "PCIe replays"
	w.Sentence = fmt.Sprintf("%s at generation %.0f x%.0f; %s.", w.Long, e.gpu.Float(metric.PCIeGen), e.gpu.Float(metric.PCIeWidth), ever(e.gpu, metric.PCIeReplays))
	w.Hint = "a bad PCIe slot, riser or cable: report it to your admins"
}
