package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// lines are the rows of the report: a name, a format, and the value of one program.
var lines = []struct {
	name, format string
	value        func(figures) float64
}{
	{"login side, % of a core", "%.2f", func(f figures) float64 { return f.login }},
	{"nodes together, % of a core", "%.2f", func(f figures) float64 { return f.nodes }},
	{"forks per second", "%.2f", func(f figures) float64 { return f.forks }},
	{"peak RSS, MiB", "%.1f", func(f figures) float64 { return float64(f.rss) / 1024 }},
	{"peak RSS of a probe, MiB", "%.1f", func(f figures) float64 { return float64(f.probeRSS) / 1024 }},
	{"first number, cold, s", "%.2f", func(f figures) float64 { return f.cold.Seconds() }},
	{"first number, warm, s", "%.2f", func(f figures) float64 { return f.warm.Seconds() }},
	{"all nodes, cold, s", "%.2f", func(f figures) float64 { return f.coldAll.Seconds() }},
	{"all nodes, warm, s", "%.2f", func(f figures) float64 { return f.warmAll.Seconds() }},
	{"bytes per second to the terminal", "%.0f", func(f figures) float64 { return f.bytes }},
	{"key to frame, median, ms", "%.1f", func(f figures) float64 { return ms(f.key50) }},
	{"key to frame, 99th percentile, ms", "%.1f", func(f figures) float64 { return ms(f.key99) }},
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median returns the median of a value over the rounds.
func median(rounds []figures, value func(figures) float64) float64 {
	values := make([]float64, len(rounds))
	for i, f := range rounds {
		values[i] = value(f)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func report(programs []string, results [][]figures) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, p := range programs {
		fmt.Fprintf(w, "%s\t", filepath.Base(p))
	}
	if len(programs) > 1 {
		fmt.Fprint(w, "ratio\t")
	}
	fmt.Fprintln(w)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t", l.name)
		for _, rounds := range results {
			if v := median(rounds, l.value); v != 0 {
				fmt.Fprintf(w, l.format+"\t", v)
			} else {
				fmt.Fprint(w, "–\t")
			}
		}
		if len(results) > 1 {
			if a, b := median(results[0], l.value), median(results[1], l.value); a > 0 && b > 0 {
				fmt.Fprintf(w, "%.3g\t", b/a)
			} else {
				fmt.Fprint(w, "–\t")
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}
