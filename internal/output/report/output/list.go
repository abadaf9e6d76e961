package output

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Lists write a list of jobs, by name of the format.
var Lists = map[string]func(io.Writer, *report.List, TextFormat) error{
	"text": func(w io.Writer, l *report.List, look TextFormat) error {
		return listText(w, l, time.Local, false, look)
	},
	"json": func(w io.Writer, l *report.List, _ TextFormat) error { return text.WriteJSON(w, "  ", l) },
	"csv":  func(w io.Writer, l *report.List, _ TextFormat) error { return rowsCSV(w, l.Jobs) },
	"markdown": func(w io.Writer, l *report.List, look TextFormat) error {
		return listText(w, l, time.Local, true, look)
	},
}

// maxName is the number of cells of a job's name in a list.
const maxName = 24

func listGrid(l *report.List, zone *time.Location) titledTable {
	g := newTable("", 5, "Job", nameHead, "Partition", "State", "Start", "Elapsed", "GPUs", "GPU-hours", "GPU util",
		"Wasted", "CPUs", "CPU util", "Memory")
	g.spares("Partition", "CPUs", "GPUs", "Start", "CPU util", nameHead, "GPU util")
	for i := range l.Jobs {
		r := &l.Jobs[i]
		row := []string{r.ID, shortName(r.Name), r.Partition, r.State, r.Start.In(zone).Format("2006-01-02 15:04"),
			advice.SpanText(r.Elapsed), advice.UnknownText, advice.UnknownText, mostOr(r.GPUMost), advice.UnknownText,
			cmp.Or(countCell(r.CPUs), advice.UnknownText), percentOr(r.CPU), percentOr(r.Memory)}
		if r.GPUs != nil {
			row[6] = strconv.Itoa(*r.GPUs)
		}
		if h := r.GPUHours; h != nil {
			row[7] = fmt.Sprintf("%.2f", h.Given)
			if h.WastedLeast != nil {
				row[9] = fmt.Sprintf("≥%.2f", *h.WastedLeast)
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func shortName(s string) string { return cutText(s, maxName) }

// countCell returns the number of things that each job has; "" if SLURM does not say.
func countCell(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// mostOr returns an upper bound: the number is at most that.
func mostOr(v *float64) string {
	switch {
	case v == nil:
		return advice.UnknownText
	case *v == 0:
		return advice.PercentText(0)
	}
	return "≤" + advice.PercentText(*v)
}

func percentOr(v *float64) string {
	if v == nil {
		return advice.UnknownText
	}
	return advice.PercentText(*v)
}

func listTitle(l *report.List, zone *time.Location) string {
	if l.User == "" {
		return text.Count(len(l.Jobs), "job")
	}
	return fmt.Sprintf("Jobs of %s, %s to %s", l.User, l.From.In(zone).Format("2006-01-02 15:04"),
		l.To.In(zone).Format("2006-01-02 15:04"))
}

// totalLines returns the sentences below a list.
func totalLines(l *report.List) []string {
	t := &l.Total
	out := []string{text.Count(t.Jobs, "job")}
	if t.Failed > 0 {
		out[0] += fmt.Sprintf(", %d failed", t.Failed)
	}
	switch {
	case t.Given == 0:
	case t.Judged == 0:
		out = append(out, fmt.Sprintf("GPU-hours: %.2f given; their use is not known", t.Given))
	default:
		out = append(out, fmt.Sprintf(
			"GPU-hours: %.2f given, at least %.2f wasted; the use of %.2f is not known", t.Given,
			t.Wasted, t.Unknown))
	}
	if t.CPU > 0 {
		out = append(out, fmt.Sprintf("CPU-hours: %.2f given, %.2f used as far as SLURM knows", t.CPU, t.CPUUsed))
	}
	return out
}

func listText(w io.Writer, l *report.List, zone *time.Location, markdown bool, look TextFormat) error {
	var b bytes.Buffer
	g := listGrid(l, zone)
	if markdown {
		fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(listTitle(l, zone)))
		g.markdown(&b)
		printParagraphs(&b, "\n", "- ", totalLines(l), TextFormat{})
	} else {
		fmt.Fprintln(&b, look.paintText(listTitle(l, zone), strong))
		if len(g.Rows) > 0 {
			g.text(&b, look)
		}
		printParagraphs(&b, "\n"+look.paintText("Total", strong)+"\n", "  ", totalLines(l), look)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// rowColumns are the columns of CSV.
var rowColumns = []struct {
	name string
	of   func(*report.Row) string
}{
	{"job", func(r *report.Row) string { return text.Cell(r.ID) }},
	{"name", func(r *report.Row) string { return text.Cell(r.Name) }},
	{"user", func(r *report.Row) string { return text.Cell(r.User) }},
	{"account", func(r *report.Row) string { return text.Cell(r.Account) }},
	{"qos", func(r *report.Row) string { return text.Cell(r.QOS) }},
	{"partition", func(r *report.Row) string { return text.Cell(r.Partition) }},
	{"state", func(r *report.Row) string { return text.Cell(r.State) }},
	{"exit_code", func(r *report.Row) string {
		if r.Code == nil {
			return ""
		}
		return strconv.Itoa(*r.Code)
	}},
	{"submit", func(r *report.Row) string { return timeCell(r.Submit) }},
	{"start", func(r *report.Row) string { return timeCell(r.Start) }},
	{"end", func(r *report.Row) string { return timeCell(r.End) }},
	{"elapsed_seconds", func(r *report.Row) string { return floatCell(&r.Elapsed) }},
	{"limit_seconds", func(r *report.Row) string {
		if r.Limit == 0 {
			return ""
		}
		return floatCell(&r.Limit)
	}},
	{"nodes", func(r *report.Row) string { return countCell(r.Nodes) }},
	{"cpus", func(r *report.Row) string { return countCell(r.CPUs) }},
	{"gpus", func(r *report.Row) string {
		if r.GPUs == nil {
			return ""
		}
		return strconv.Itoa(*r.GPUs)
	}},
	{"gpu_hours", func(r *report.Row) string {
		return hoursCell(r,
			func(s *report.Shares) *float64 { return &s.Given })
	}},
	{"gpu_hours_used", func(r *report.Row) string {
		return hoursCell(r, func(s *report.Shares) *float64 { return s.Used })
	}},
	{"gpu_hours_wasted", func(r *report.Row) string {
		return hoursCell(r, func(s *report.Shares) *float64 { return s.Wasted })
	}},
	{"gpu_hours_used_at_most", func(r *report.Row) string {
		return hoursCell(r, func(s *report.Shares) *float64 { return s.UsedMost })
	}},
	{"gpu_hours_wasted_at_least", func(r *report.Row) string {
		return hoursCell(r, func(s *report.Shares) *float64 { return s.WastedLeast })
	}},
	{"gpu_util_most_percent", func(r *report.Row) string { return floatCell(r.GPUMost) }},
	{"gpu_util_percent", func(r *report.Row) string { return floatCell(r.GPUUtil) }},
	{"cpu_used_percent", func(r *report.Row) string { return floatCell(r.CPU) }},
	{"host_memory_used_percent", func(r *report.Row) string { return floatCell(r.Memory) }},
}

func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func floatCell(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func hoursCell(r *report.Row, of func(*report.Shares) *float64) string {
	if r.GPUHours == nil {
		return ""
	}
	return floatCell(of(r.GPUHours))
}

func rowsCSV(w io.Writer, rows []report.Row) error {
	c := csv.NewWriter(w)
	line := make([]string, len(rowColumns))
	for i := range rowColumns {
		line[i] = rowColumns[i].name
	}
	_ = c.Write(line)
	for k := range rows {
		for i := range rowColumns {
			line[i] = rowColumns[i].of(&rows[k])
		}
		_ = c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// rowOf returns a report as a row.
func rowOf(r *report.Report) report.Row {
	out := report.Row{Job: r.Job, Nodes: r.Total.Nodes}
	if r.Watched != (report.Watched{}) {
		out.GPUs = &r.Total.GPUs
		out.GPUHours = hoursOf(&r.Total.Hours)
	}
	if !r.Job.Start.IsZero() && !r.Job.End.IsZero() {
		out.Elapsed = metric.InSeconds(r.Job.End.Sub(r.Job.Start))
	} else {
		out.Elapsed = r.Watched.Seconds
	}
	if a := r.Accounting; a != nil {
		out.Elapsed, out.CPUs, out.GPUs, out.GPUMost = a.Elapsed, a.CPUs, a.GPUs, a.GPUUtilMost
		if out.GPUHours == nil {
			out.GPUHours = a.GPUHours
		} else if a.GPUHours != nil {
			out.GPUHours.Given = a.GPUHours.Given // of the whole run
			out.GPUHours.UsedMost, out.GPUHours.WastedLeast = a.GPUHours.UsedMost, a.GPUHours.WastedLeast
		}
		if a.CPU != nil {
			out.CPU = &a.CPU.Percent
		}
		out.Memory = shareOf(a.Memory)
	}
	if u := r.Total.Util; u != nil {
		out.GPUUtil = &u.Mean
	}
	if share := shareOf(r.Total.HostMemory); share != nil {
		out.Memory = share
	}
	return out
}

// hoursOf returns the GPU-hours of a watch.
func hoursOf(h *report.Hours) *report.Shares {
	s := &report.Shares{Given: h.Given, Used: h.Used}
	if h.Used != nil {
		s.Wasted = new(metric.Round(max(h.Seen-*h.Used, 0), 4))
	}
	return s
}

func shareOf(m *report.Memory) *float64 {
	if m == nil || m.Limit == nil || *m.Limit == 0 {
		return nil
	}
	share := math.Round(1e4*float64(m.Peak)/float64(*m.Limit)) / 100
	return &share
}
