package output

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Comparisons write two reports side by side, by name of the format.
var Comparisons = map[string]func(io.Writer, *report.Comparison, TextFormat) error{
	"text": func(w io.Writer, c *report.Comparison, look TextFormat) error {
		return compareText(w, c, time.Local, false, look)
	},
	"json": func(w io.Writer, c *report.Comparison, _ TextFormat) error { return text.WriteJSON(w, "  ", c) },
	"csv":  func(w io.Writer, c *report.Comparison, _ TextFormat) error { return compareCSV(w, c) },
	"markdown": func(w io.Writer, c *report.Comparison, look TextFormat) error {
		return compareText(w, c, time.Local, true, look)
	},
}

// inUnit writes a number of each unit for people.
var inUnit = map[string]func(float64) string{
	unitSeconds: advice.SpanText,
	unitCount:   func(v float64) string { return fmt.Sprintf("%.0f", v) },
	unitPercent: advice.PercentText,
	unitBytes:   func(v float64) string { return advice.SizeText(uint64(v)) },
	unitWatts:   advice.WattsText,
	unitHours:   func(v float64) string { return fmt.Sprintf("%.2f", v) },
	unitKWh:     kWh,
	unitCelsius: func(v float64) string { return fmt.Sprintf("%.0f°C", v) },
}

func compareGrid(c *report.Comparison, zone *time.Location) titledTable {
	a, b := c.Reports[0], c.Reports[1]
	g := newTable("", 1, "", "A", "B", "B against A")
	row4 := func(name, x, y string) { g.Rows = append(g.Rows, []string{name, orNone(x), orNone(y), ""}) }
	row4("Job", a.Job.ID, b.Job.ID)
	row4("Name", shortName(a.Job.Name), shortName(b.Job.Name))
	row4("State", a.Job.State, b.Job.State)
	row4("Partition", a.Job.Partition, b.Job.Partition)
	row4("Start", startOf(a, zone), startOf(b, zone))
	for _, r := range c.Rows {
		show := func(v *float64) string {
			if v == nil || inUnit[r.Unit] == nil {
				return advice.UnknownText
			}
			return inUnit[r.Unit](*v)
		}
		g.Rows = append(g.Rows, []string{r.Name, show(r.A), show(r.B), changeText(r.Change)})
	}
	return g
}

// changeText writes a change in percent: "+3.1%"; "same"; from ten times on "30x".
func changeText(change *float64) string {
	const tenfold = 900
	switch {
	case change == nil:
		return ""
	case math.Abs(*change) < 0.05:
		return "same"
	case *change >= tenfold:
		return fmt.Sprintf("%.0fx", 1+*change/100)
	}
	return fmt.Sprintf("%+.1f%%", *change)
}

func orNone(s string) string {
	if s == "" {
		return advice.UnknownText
	}
	return s
}

func startOf(r *report.Report, zone *time.Location) string {
	if r.Job.Start.IsZero() {
		return ""
	}
	return r.Job.Start.In(zone).Format("2006-01-02 15:04")
}

// onlyProblems returns the problems that one report has and the other does not.
func onlyProblems(name string, r, other *report.Report) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if !slices.ContainsFunc(other.Findings, func(o report.Finding) bool { return o.Kind == f.Kind }) {
			at := report.Place{Node: f.Node, GPU: f.GPU, Key: f.Key}.String()
			out = append(out, fmt.Sprintf("only %s: %s", name, strings.TrimSpace(at+" "+f.Text)))
		}
	}
	return out[:min(len(out), mostSteps)]
}

func compareText(w io.Writer, c *report.Comparison, zone *time.Location, markdown bool, look TextFormat) error {
	var b bytes.Buffer
	g := compareGrid(c, zone)
	title := fmt.Sprintf("%s against %s", jobTitle(&c.Reports[1].Job), jobTitle(&c.Reports[0].Job))
	problems := append(onlyProblems("A", c.Reports[0], c.Reports[1]), onlyProblems("B", c.Reports[1], c.Reports[0])...)
	if markdown {
		fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(title))
		g.markdown(&b)
		for i := range problems {
			problems[i] = escapeMarkdown(problems[i])
		}
		printParagraphs(&b, "\n## Problems\n\n", "- ", problems, TextFormat{})
	} else {
		fmt.Fprintln(&b, look.paintText(title, strong))
		g.text(&b, look)
		printParagraphs(&b, "\n"+look.paintText("Problems", strong)+"\n", "  ", problems, look)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func compareCSV(w io.Writer, c *report.Comparison) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"name", "unit", "a", "b", "change_percent"})
	_ = out.Write([]string{"Job", "", text.Cell(c.Reports[0].Job.ID), text.Cell(c.Reports[1].Job.ID), ""})
	for _, r := range c.Rows {
		_ = out.Write([]string{r.Name, r.Unit, floatCell(r.A), floatCell(r.B), floatCell(r.Change)})
	}
	out.Flush()
	return out.Error()
}
