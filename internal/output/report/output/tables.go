package output

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// titledTable is a table of the text and of the Markdown.
type titledTable struct {
	title string
	text.Table
}

// newTable returns a table without rows. The first left columns are flush left.
func newTable(title string, left int, heads ...string) titledTable {
	t := titledTable{title, text.Table{Width: ansi.StringWidth, Cut: cutText}} // a color has no width
	for i, head := range heads {
		t.Columns = append(t.Columns, text.Column{Head: head, Right: i >= left})
	}
	return t
}

// spares names the columns that a narrow terminal does not show. The first of them is dropped first.
func (t *titledTable) spares(heads ...string) {
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Spare = slices.Index(heads, c.Head) + 1
		if c.Head == nameHead {
			c.Shrinks = leastName
		}
	}
}

// reportLayout is the report in words, for both outputs.
type reportLayout struct {
	title    string
	facts    [][2]string // name and value
	sections []section
	grids    []titledTable
	lists    []list
}

// section has further facts under a title.
type section struct {
	title string
	facts [][2]string
}

// list has sentences under a title, with a mark before each in the text.
type list struct {
	title, mark string
	lines       []string
}

func newLayout(r *report.Report, zone *time.Location) *reportLayout {
	l := &reportLayout{title: jobTitle(&r.Job), facts: jobFacts(r, zone)}
	if r.Accounting != nil {
		l.sections = append(l.sections, section{"From SLURM's accounting", accountingRows(r, zone)})
	}
	if price := costText(r.Cost); price != "" {
		l.facts = append(l.facts, [2]string{"Cost", price})
	}
	ranks := ranksByGPU(r)
	grids := []titledTable{nodeGrid(r), gpuGrid(r, ranks)}
	if len(r.Ranks) > 0 && ranks == nil {
		grids = append(grids, rankGrid(r))
	}
	for _, g := range append(grids, tagGrid(r.Tags, zone), stepGrid(r)) {
		if len(g.Rows) > 0 {
			l.grids = append(l.grids, g)
		}
	}
	l.lists = []list{{"Problems", "", problemLines(r, zone)},
		{"What its ranks did when they were asked", "", stackLines(r, zone)}, {"Next time", "", adviceLines(r)},
		{"Notes", "* ", noteLines(r)}, {"Sources", "", sourceLines(r)}}
	return l
}

// noteLines returns the notes for which no advice gives a number.
func noteLines(r *report.Report) (out []string) {
	for _, n := range r.Notes {
		if !slices.ContainsFunc(r.Advice, func(a report.Advice) bool { return a.Kind == n.Kind }) {
			out = append(out, n.Text)
		}
	}
	return out
}

// adviceLines returns the advice in its written form.
func adviceLines(r *report.Report) (out []string) {
	for _, a := range r.Advice {
		out = append(out, fmt.Sprintf("%s=%s: %s.", a.Option, a.Value, a.Reason))
	}
	return out
}

func jobTitle(j *report.Job) string {
	return strings.TrimSpace("Job " + j.ID + " " + j.Name)
}

// paceText is the time of a step, beside an earlier job: "2.4 s/step, 9 % faster than 48102 (24 Nov)".
func paceText(r *report.Report, zone *time.Location) string {
	if r.Pace == nil || !(r.Pace.SecondsPerStep > 0) {
		return ""
	}
	p := &cluster.JobProgress{Progress: progress.Progress{SecondsPerStep: &r.Pace.SecondsPerStep}}
	words := say.Pace(p)
	if e := r.Pace.Earlier; e != nil && e.SecondsPerStep > 0 {
		p.Earlier = &progress.Earlier{Job: e.Job, Seen: e.Seen.In(zone), SecondsPerStep: e.SecondsPerStep}
		words += ", " + say.Earlier(p, r.Job.End.In(zone))
	}
	return words
}

// jobFacts returns the numbers of the whole job.
func jobFacts(r *report.Report, zone *time.Location) [][2]string {
	t := &r.Total
	w := &r.Watched
	from := w.From.In(zone)
	out := [][2]string{{"State", stateText(r)}}
	if r.Job.Cause != "" {
		out = append(out, [2]string{"Cause", r.Job.Cause})
	}
	if pace := paceText(r, zone); pace != "" {
		out = append(out, [2]string{"Pace", pace})
	}
	if r.Watched == (report.Watched{}) {
		return out
	}
	out = append(out, [][2]string{
		{"Watched", fmt.Sprintf("%s, %s to %s", advice.SpanText(w.Seconds), from.Format("2006-01-02 15:04:05"),
			advice.ClockText(w.To.In(zone), from)) + suspendedText(w)},
		{"GPUs", fmt.Sprintf("%d of %d seen, %s", t.GPUsSeen, t.GPUs, text.Count(t.Nodes, "node"))},
	}...)
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add("GPU-hours", hoursText(&t.Hours))
	add("GPU utilization", utilizationText(t.Util))
	add("GPU memory", memoryText(t.Memory))
	add("Host memory", memoryText(t.HostMemory))
	if c := t.JobCPU; c != nil {
		add("CPU", fmt.Sprintf("%.1f CPUs busy on average, %s of CPU time", c.Busy, advice.SpanText(c.Seconds)))
	}
	if t.Power != nil {
		add("Power", fmt.Sprintf("mean %s, peak %s", advice.WattsText(t.Power.Mean), advice.WattsText(t.Power.Peak)))
	}
	if t.Energy != nil {
		add("Energy", energyText(t.Energy)+energySource(t.Energy.From))
	}
	if t.Temperature != nil {
		add("Temperature", fmt.Sprintf("peak %.0f°C", *t.Temperature))
	}
	add("Throttled", throttledText(t.Throttled, true))
	return out
}

// numbersHead are the columns of numbersRow.
var numbersHead = []string{"Util mean", "low", "high", "Memory peak", "of", "Power mean", "peak", "Energy"}

func numbersRow(n *report.Numbers) []string {
	row := []string{advice.UnknownText, advice.UnknownText, advice.UnknownText, advice.UnknownText, advice.UnknownText,
		advice.UnknownText, advice.UnknownText, advice.UnknownText}
	if u := n.Util; u != nil {
		row[0], row[1], row[2] = advice.PercentText(u.Mean), advice.PercentText(u.Lowest), advice.PercentText(u.Highest)
	}
	if m := n.Memory; m != nil {
		row[3] = advice.GiBText(m.Peak)
		if m.Limit != nil {
			row[4] = advice.GiBText(*m.Limit)
		}
	}
	if p := n.Power; p != nil {
		row[5], row[6] = advice.WattsText(p.Mean), advice.WattsText(p.Peak)
	}
	if n.Energy != nil {
		row[7] = energyText(n.Energy)
	}
	return row
}

func nodeGrid(r *report.Report) titledTable {
	heads := slices.Concat([]string{"Node", "GPUs"}, numbersHead, []string{"Host memory", "of", "CPU", "Not seen"})
	own := r.Total.JobCPU != nil
	if own {
		heads = slices.Insert(heads, len(heads)-1, "Job CPUs")
	}
	g := newTable("Nodes", 1, heads...)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		row := append([]string{n.Name, strconv.Itoa(n.GPUs)}, numbersRow(&n.Numbers)...)
		used, limit, cpu, away := advice.UnknownText, advice.UnknownText, advice.UnknownText, advice.UnknownText
		if m := n.HostMemory; m != nil {
			if used = advice.GiBText(m.Peak); m.Limit != nil {
				limit = advice.GiBText(*m.Limit)
			}
		}
		if n.CPU != nil {
			cpu = advice.PercentText(*n.CPU)
		}
		if n.Gaps > 0 {
			away = advice.SpanText(n.Unseen)
		}
		row = append(row, used, limit, cpu)
		if own {
			busy := advice.UnknownText
			if n.JobCPU != nil {
				busy = fmt.Sprintf("%.1f", n.JobCPU.Busy)
			}
			row = append(row, busy)
		}
		g.Rows = append(g.Rows, append(row, away))
	}
	return g
}

// ranksByGPU returns the ranks by the name of their GPU, if each rank is alone on its GPU and has the GPU's numbers:
// then they need no table of their own. Otherwise it returns nil.
func ranksByGPU(r *report.Report) map[string]string {
	seen := map[string]float64{}
	for i := range r.Nodes {
		for _, g := range r.Nodes[i].List {
			seen[report.Place{Node: r.Nodes[i].Name, GPU: g.Number, Key: g.Key}.String()] = g.Seen
		}
	}
	ranks := map[string]string{}
	for i := range r.Ranks {
		k := &r.Ranks[i]
		at := k.String()
		if _, taken := ranks[at]; taken || seen[at] != k.Seen {
			return nil
		}
		ranks[at] = strconv.Itoa(k.Rank)
	}
	return ranks
}

// gpuGrid has a column for the ranks, if there are any.
func gpuGrid(r *report.Report, ranks map[string]string) titledTable {
	heads := slices.Concat([]string{"GPU"}, numbersHead, []string{"Seen", "Throttled"})
	if len(ranks) > 0 {
		heads = slices.Insert(heads, 1, "Rank")
	}
	g := newTable("GPUs", 1, heads...)
	g.Columns[len(heads)-1].Right = false // it has words
	for i := range r.Nodes {
		n := &r.Nodes[i]
		for k := range n.List {
			u := &n.List[k]
			at := report.Place{Node: n.Name, GPU: u.Number, Key: u.Key}
			row := append([]string{at.String()}, numbersRow(&u.Numbers)...)
			if len(ranks) > 0 {
				row = slices.Insert(row, 1, cmp.Or(ranks[at.String()], advice.UnknownText))
			}
			why := throttledText(u.Throttled, false)
			if why == "" {
				why = advice.UnknownText
			}
			g.Rows = append(g.Rows, append(row, advice.SpanText(u.Seen), why))
		}
	}
	return g
}

func rankGrid(r *report.Report) titledTable {
	g := newTable("Ranks", 2, slices.Concat([]string{"Rank", "GPU"}, numbersHead, []string{"Seen"})...)
	for i := range r.Ranks {
		k := &r.Ranks[i]
		name := strconv.Itoa(k.Rank)
		if k.World != nil {
			name += " of " + strconv.Itoa(*k.World)
		}
		row := append([]string{name, k.String()}, numbersRow(&k.Numbers)...)
		g.Rows = append(g.Rows, append(row, advice.SpanText(k.Seen)))
	}
	return g
}

// problemLines returns the findings, one line each.
func problemLines(r *report.Report, zone *time.Location) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		since := f.Since.In(zone)
		when := "from " + advice.ClockText(since, r.Watched.From.In(zone))
		if f.Before {
			when = "before " + advice.ClockText(since, r.Watched.From.In(zone))
		}
		if f.Over.IsZero() {
			when += " to the end"
		} else {
			when += " to " + advice.ClockText(f.Over.In(zone), since)
		}
		if f.Times > 1 {
			when += fmt.Sprintf(", %d times", f.Times)
		}
		at := report.Place{Node: f.Node, GPU: f.GPU, Key: f.Key}.String()
		if at == "" {
			at = "the job"
		}
		out = append(out, fmt.Sprintf("%s, %s, %s: %s", f.Severity, when, at, f.Text))
	}
	return out
}
