package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// rows of the report: a name, the value of one program, and the format.
var lines = []struct {
	name, format string
	value        func(figures) float64
}{
	{"login side, % of a core", "%.2f", func(f figures) float64 { return f.login }},
	{"nodes together, % of a core", "%.2f", func(f figures) float64 { return f.nodes }},
	{"forks a second", "%.2f", func(f figures) float64 { return f.forks }},
	{"peak RSS, MiB", "%.1f", func(f figures) float64 { return float64(f.rss) / 1024 }},
	{"peak RSS of a probe, MiB", "%.1f", func(f figures) float64 { return float64(f.probeRSS) / 1024 }},
	{"first number, cold, s", "%.2f", func(f figures) float64 { return f.cold.Seconds() }},
	{"first number, warm, s", "%.2f", func(f figures) float64 { return f.warm.Seconds() }},
	{"all nodes, cold, s", "%.2f", func(f figures) float64 { return f.coldAll.Seconds() }},
	{"all nodes, warm, s", "%.2f", func(f figures) float64 { return f.warmAll.Seconds() }},
	{"bytes a second to the terminal", "%.0f", func(f figures) float64 { return f.bytes }},
	{"key to frame, median, ms", "%.1f", func(f figures) float64 { return ms(f.key50) }},
	{"key to frame, 99th percentile, ms", "%.1f", func(f figures) float64 { return ms(f.key99) }},
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func report(programs []string, results []figures) {
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
		for _, f := range results {
			if v := l.value(f); v != 0 {
				fmt.Fprintf(w, l.format+"\t", v)
			} else {
				fmt.Fprint(w, "–\t")
			}
		}
		if len(results) > 1 {
			if a, b := l.value(results[0]), l.value(results[1]); a > 0 && b > 0 {
				fmt.Fprintf(w, "%.3g\t", b/a)
			} else {
				fmt.Fprint(w, "–\t")
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}
