package output

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// TextFormat is how a text is laid out. The zero TextFormat is that of a file: lines as long as they are, without
// colors.
type TextFormat struct {
	Width int // of the terminal; 0: unlimited
	Color bool
}

// leastWidth is the width of the narrowest terminal to which lines are fitted.
const leastWidth = 40

// The colors for a good, doubtful or bad text.
const (
	good     = "32"
	doubtful = "33"
	bad      = "31"
	strong   = "1"
)

// csi starts a color; its number and an m follow. unpainted ends a color.
const (
	csi       = "\x1b["
	unpainted = "0"
)

func (l TextFormat) paintText(text, color string) string {
	if !l.Color || color == "" {
		return text
	}
	return csi + color + "m" + text + csi + unpainted + "m"
}

// printText prints a text after the beginning of its line. Further lines start below the text. They are indented more
// if they would look like the next text.
func (l TextFormat) printText(b *bytes.Buffer, begin, s string) {
	indent := ansi.StringWidth(begin)
	used := indent
	if strings.TrimSpace(begin) == "" {
		indent += 2
	}
	if l.Width < max(leastWidth, indent+leastWidth/2) {
		fmt.Fprintf(b, "%s%s\n", begin, s)
		return
	}
	space := strings.Repeat(" ", indent)
	lines := text.Fill(strings.Split(s, " "), l.Width-used, l.Width-indent, ansi.StringWidth) // a color has no width
	fmt.Fprintf(b, "%s%s\n", begin, strings.Join(lines, "\n"+space))
}

// usageBar is how much of something the job used, for a bar.
type usageBar struct {
	name   string
	share  float64 // percent
	prefix string  // of the number
	judge  func(percent float64) string
}

// resourceUses returns the known uses of a job.
func resourceUses(r *report.Report) (all []usageBar) {
	t, a := &r.Total, r.Accounting
	add := func(name string, share float64, prefix string, judge func(float64) string) {
		all = append(all, usageBar{name, share, prefix, judge})
	}
	if a != nil && r.Job.Limit > 0 && !r.Job.Start.IsZero() {
		add("Time", 100*a.Elapsed/r.Job.Limit, "", nil)
	}
	if a != nil && a.CPU != nil {
		add("CPU", a.CPU.Percent, "", judgeUtilization)
	}
	switch host := shareOf(t.HostMemory); {
	case a != nil && a.OutOfMemory != "" && a.OutOfMemoryLimit == nil:
		add("Host memory", 100, ">", judgeMemory)
	case host != nil:
		add("Host memory", *host, "", judgeMemory)
	case a != nil && shareOf(a.Memory) != nil:
		add("Host memory", *shareOf(a.Memory), "", judgeMemory)
	}
	switch {
	case t.Util != nil:
		add("GPU", t.Util.Mean, "", judgeUtilization)
	case a != nil && a.GPUUtilMost != nil:
		add("GPU", *a.GPUUtilMost, "≤", judgeUtilization)
	}
	if share := shareOf(t.Memory); share != nil {
		add("GPU memory", *share, "", nil)
	}
	return all
}

// judgeUtilization judges a utilization. judgeMemory judges the peak of a memory.
func judgeUtilization(percent float64) string {
	switch {
	case percent < 25:
		return bad
	case percent < 50:
		return doubtful
	}
	return good
}

func judgeMemory(percent float64) string {
	if percent >= 95 {
		return bad
	}
	return good
}

// barWidth is the number of characters between the brackets of a bar.
const barWidth = 50

// drawBars draws how much the job used of what it had.
func (l TextFormat) drawBars(b *bytes.Buffer, all []usageBar) {
	width := barWidth
	if l.Width >= leastWidth {
		width = min(width, l.Width-len("  ")-16-len(" [] ")-1)
	}
	for _, u := range all {
		color := ""
		if u.judge != nil {
			color = u.judge(u.share)
		}
		number := u.prefix + advice.PercentText(u.share)
		full := int(min(max(u.share, 0), 100)/100*float64(width) + 0.5)
		bar := []rune(strings.Repeat("|", full) + strings.Repeat(" ", width-full))
		at := len(bar) - utf8.RuneCountInString(number)
		bar = append(bar[:max(at, 0)], []rune(number)...)
		fmt.Fprintf(b, "  %-16s [%s]\n", u.name, l.paintText(string(bar), color))
	}
}

// paintState colors the word for the end of a job.
func (l TextFormat) paintState(line string) string {
	word, rest, comma := strings.Cut(line, ",")
	color := ""
	switch word {
	case "COMPLETED":
		color = good
	case "FAILED", "OUT_OF_MEMORY", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "DEADLINE":
		color = bad
	case "CANCELLED", "PREEMPTED", "REQUEUED":
		color = doubtful
	}
	line = l.paintText(word, color)
	if comma {
		line += "," + rest
	}
	return line
}

// fitColumns leaves out columns for which the terminal has no room.
func (l TextFormat) fitColumns(t *text.Table) *text.Table {
	if l.Width < leastWidth {
		return t
	}
	return t.Fit(l.Width)
}

// nameHead is the head of a column that may become narrower, down to leastName.
const (
	nameHead  = "Name"
	leastName = 8
)

// cutText cuts a text to a number of cells.
func cutText(s string, most int) string { return ansi.Truncate(s, most, "…") }

// splitBlocks cuts a table that is too wide for the terminal.
func (l TextFormat) splitBlocks(t *text.Table) [][]int {
	if l.Width < leastWidth {
		return t.Blocks(0)
	}
	return t.Blocks(l.Width)
}
