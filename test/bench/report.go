package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// line is a row of a report: a name, a format, and the value in one column.
type line struct {
	name, format string
	value        func(figures) float64
}

// lines are the rows of a report.
var lines = []line{
	{"login side, % of a core", "%.2f", func(f figures) float64 { return f.login }},
	{"nodes together, % of a core", "%.2f", func(f figures) float64 { return f.nodes }},
	{"peak RSS, MiB", "%.1f", func(f figures) float64 { return float64(f.rss) / 1024 }},
	{"peak RSS of a probe, MiB", "%.1f", func(f figures) float64 { return float64(f.probeRSS) / 1024 }},
	{"forks per second", "%.2f", func(f figures) float64 { return f.forks }},
	{"first number, cold, s", "%.2f", func(f figures) float64 { return f.cold.Seconds() }},
	{"first number, warm, s", "%.2f", func(f figures) float64 { return f.warm.Seconds() }},
	{"all nodes, cold, s", "%.2f", func(f figures) float64 { return f.coldAll.Seconds() }},
	{"all nodes, warm, s", "%.2f", func(f figures) float64 { return f.warmAll.Seconds() }},
	{"bytes per second to the terminal", "%.0f", func(f figures) float64 { return f.bytes }},
	{"key to frame, median, ms", "%.1f", func(f figures) float64 { return rig.MS(f.key50) }},
	{"key to frame, 99th percentile, ms", "%.1f", func(f figures) float64 { return rig.MS(f.key99) }},
}

// median returns the median of a value over the rounds.
func median(rounds []figures, value func(figures) float64) float64 {
	values := make([]float64, len(rounds))
	for i, f := range rounds {
		values[i] = value(f)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// report prints a table with a column per name and, of two, the ratio of the second column to the first.
func report(names []string, results [][]figures) {
	ratio := len(results) > 1
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, n := range names {
		fmt.Fprintf(w, "%s\t", filepath.Base(n))
	}
	if ratio {
		fmt.Fprint(w, "ratio\t")
	}
	fmt.Fprintln(w)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t", l.name)
		for _, rounds := range results {
			rig.Cell(w, l.format, median(rounds, l.value))
		}
		if ratio {
			r := 0.0
			if a, b := median(results[0], l.value), median(results[1], l.value); a > 0 && b > 0 {
				r = b / a
			}
			rig.Cell(w, "%.3g", r)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}
