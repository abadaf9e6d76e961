package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/nvnodetop/nvnodetop/test/shapes"
)

// table prints the score: a line for each shape, and totals. With say it also prints the wrong findings.
func table(to io.Writer, verdicts []shapes.Verdict, say bool) {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "shape\tGPUs\tjob-hours\tfound\tlate\tmissed\tafter\tfalse")
	var healthy, faulty shapes.Verdict
	var gpuHours float64
	well := 0
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%s", v.Name, gpus(&v), v.Watched.Hours(), found(&v))
		fmt.Fprintf(w, "\t%s%s\n", shapes.Counts(v.False), known(&v))
		total := &healthy
		if v.Faulty() {
			total = &faulty
		} else {
			well, gpuHours = well+1, gpuHours+v.Watched.Hours()*float64(gpus(&v))
		}
		total.Add(v)
	}
	_ = w.Flush()
	fmt.Fprintf(to, "\nhealthy: %d shapes, %.1f job-hours, %.0f GPU-hours: %d false %s\n",
		well, healthy.Watched.Hours(), gpuHours, len(healthy.False), inParentheses(shapes.Counts(healthy.False)))
	fmt.Fprintf(to, "faulty: %d shapes, %d expected: %d found, %d late, %d missed; %d false %s\n",
		len(verdicts)-well, faulty.Found+faulty.Late+faulty.Missed, faulty.Found, faulty.Late, faulty.Missed,
		len(faulty.False), inParentheses(shapes.Counts(faulty.False)))
	if say {
		explain(to, verdicts)
	}
}

func inParentheses(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func gpus(v *shapes.Verdict) int { return v.Nodes * v.GPUs }

// found is the result of a faulty shape: "2\t0\t0\t66 to 84s".
func found(v *shapes.Verdict) string {
	if !v.Faulty() {
		return "\t\t\t"
	}
	after := ""
	if len(v.Delays) > 0 {
		after = fmt.Sprintf("%.0fs", slices.Max(v.Delays).Seconds())
		if least := slices.Min(v.Delays); least < slices.Max(v.Delays) {
			after = fmt.Sprintf("%.0f to %s", least.Seconds(), after)
		}
	}
	return fmt.Sprintf("%d\t%d\t%d\t%s", v.Found, v.Late, v.Missed, after)
}

func known(v *shapes.Verdict) string {
	reason, listed := shapes.Known[v.Name]
	switch {
	case listed && v.Good():
		return " [known, but right now]"
	case listed:
		return " [known: " + reason + "]"
	}
	return ""
}

// explain prints the wrong findings.
func explain(to io.Writer, verdicts []shapes.Verdict) {
	for _, v := range verdicts {
		if v.Good() {
			continue
		}
		fmt.Fprintf(to, "\n%s: %s\n", v.Name, v.About)
		for _, e := range v.False {
			fmt.Fprintf(to, "  %v to %v  %v %s: %s\n", e.From, e.To, e.Severity, e.Kind, e.Say)
		}
	}
}
