package say

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// hostCause is what the host side of a GPU says about its lag.
type hostCause struct {
	facts []string // about its process
	why   string   // the reason in a few words; "": unknown
	end   string   // the reason again, where it ends the facts
	hint  string
}

// ofItsHost compares the CPUs, reads and writes of the process on an idle GPU with those of other processes of its job.
// It explains a lag: uneven CPUs, reads and writes alone are no sign of a problem.
func (e evidence) ofItsHost() (c hostCause) {
	c.hint = "look at what this process waits for: its data loader, its CPUs, its storage"
	p := signs.ProcessOf(e.node, e.gpu)
	if p == nil {
		return c
	}
	cpu, others := signs.CPUOf(e.node, e.gpu)
	if cpu == cpu {
		fact := fmt.Sprintf("uses %.0f%% of a core", cpu)
		if others == others {
			fact += fmt.Sprintf(" (others: %.0f%%)", others)
		}
		c.facts = append(c.facts, fact)
	}
	starved := signs.Starved(cpu, others)
	if starved {
		c.why = "waiting on its CPU or data loader"
		c.end = ": " + c.why
		c.hint = fmt.Sprintf("check the data loader of PID %d and its CPUs (column cpu_affinity)", p.PID)
	}
	h := signs.HostOf(e.job, e.nodes, e.node, e.gpu)
	if h.ReadsLess() && !starved {
		c.why = "reads " + compareRates(h.Own.Read, h.Others.Read)
		c.hint = fmt.Sprintf("check the data loader of PID %d, and the storage from which it reads", p.PID)
	}
	if h.ReadsLess() || h.ReadsMore() {
		c.facts = append(c.facts, "reads "+compareRates(h.Own.Read, h.Others.Read))
	}
	if h.WritesMore() {
		c.facts = append(c.facts, "writes "+compareRates(h.Own.Write, h.Others.Write))
	}
	if h.Bound() {
		c.why = fmt.Sprintf("bound to %s (others: %.0f)", text.Count(int(h.Own.CPUs), "CPU"), h.Others.CPUs)
		c.facts = append(c.facts, "is "+c.why)
		c.hint = fmt.Sprintf("give PID %d and its data loader more CPUs: see --cpus-per-task and --cpu-bind of srun",
			p.PID)
	}
	if len(c.facts) > 0 {
		c.facts[0] = "its process " + c.facts[0]
	}
	return c
}

// giveReason adds the reason of a lag to its name: "lags 24/94%: waiting on its CPU or data loader".
func (w *Words) giveReason(why string) {
	if why != "" {
		w.Long = w.Short + ": " + why
	}
}

// compareRates compares two rates: "2 MB/s (others: 300)".
func compareRates(own, others float64) string {
	return fmt.Sprintf("%s MB/s (others: %s)", formatMegabytes(own), formatMegabytes(others))
}

// formatMegabytes formats a rate, with one decimal if it is small: "0", "0.3", "2", "300".
func formatMegabytes(rate float64) string {
	if rate >= 0.5e5 && rate < 9.5e5 {
		return fmt.Sprintf("%.1f", rate/1e6)
	}
	return fmt.Sprintf("%.0f", rate/1e6)
}
