package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

// changed is the share of its earlier value at which a measure is named as changed.
const changed = 0.93

// stepSlower describes a job whose steps take longer than before, and what has changed with it.
func stepSlower(w *Words, e evidence) {
	by := e.compared.Slower
	if p := e.compared.Progress; p != nil && p.Slower != nil && p.SecondsPerStep != nil {
		slowerSteps(w, e)
		return
	}
	if by == nil {
		by = &pace.Slower{Rate: 1}
	}
	w.Short = fmt.Sprintf("steps take %.1fx", 1/by.Rate)
	w.Long = fmt.Sprintf("steps take %.1f times as long as before", 1/by.Rate)
	w.Sentence = fmt.Sprintf("Steps have taken about %.1f times as long since %s", 1/by.Rate,
		by.Since.Format(time.TimeOnly))
	if facts := slowerFacts(by); facts != "" {
		w.Sentence += ": " + facts
	}
	w.Sentence += "."
	w.Hint = whySlower(by) + "; fine if the program does other work now"
}

// slowerFacts lists the measures that are lower than before, with both values: "412 instead of 610 W". by may be nil.
func slowerFacts(by *pace.Slower) string {
	if by == nil {
		return ""
	}
	var facts []string
	for _, row := range []struct {
		of    pace.Measure
		scale float32
		text  string
	}{
		{pace.Clock, 1, "SM clock %.0f instead of %.0f MHz"},
		{pace.Util, 1, "%.0f instead of %.0f%% utilization"},
		{pace.Power, 1, "%.0f instead of %.0f W"},
		{pace.Net, 1e9, "%.1f instead of %.1f GB/s over the network of a node"},
		{pace.Link, 1e9, "%.1f instead of %.1f GB/s over NVLink and PCIe"},
	} {
		if now, then := by.Now[row.of], by.Then[row.of]; isLower(by, row.of) {
			facts = append(facts, fmt.Sprintf(row.text, now/row.scale, then/row.scale))
		}
	}
	return strings.Join(facts, ", ")
}

func isLower(by *pace.Slower, m pace.Measure) bool {
	return by.Then[m] > 0 && by.Now[m] <= changed*by.Then[m]
}

// whySlower says where to look.
func whySlower(by *pace.Slower) string {
	switch {
	case isLower(by, pace.Clock):
		return "all GPUs clock lower: look at their power limit and the reasons that the driver names"
	case isLower(by, pace.Util):
		return "the GPUs wait for their input: look at the data loaders, their CPUs and the storage"
	}
	return "the GPUs wait inside kernels, perhaps for the network: look for a slow link or node"
}

// stalledJob describes a job that stood still for long and has resumed.
func stalledJob(w *Words, e evidence) {
	stall := e.compared.Stall
	lasted := formatDuration(stall.To.Sub(stall.From))
	w.Short, w.Long = "was stuck for "+lasted, "was stuck for "+lasted
	w.Sentence = fmt.Sprintf("All GPUs were stuck for %s, until %s", lasted, stall.To.Format(time.TimeOnly))
	if stall.Before >= aPause {
		w.Sentence += fmt.Sprintf("; the longest time before was %s", formatDuration(stall.Before))
	}
	w.Sentence += "."
	w.Hint = "fine if the program did something on the CPUs, such as compiling or writing; otherwise look at the " +
		"storage and at the job's log of that time"
}
