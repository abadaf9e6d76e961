package ui

import (
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// word is a piece of a line.
type word struct {
	text string
	role draw.Role
}

func (f *frame) words(x, y int, words ...word) int {
	for _, w := range words {
		x = f.Put(x, y, w.text, w.role)
	}
	return x
}

func width(words []word) int {
	n := 0
	for _, w := range words {
		n += draw.Width(w.text)
	}
	return n
}

// header draws rows 0 and 1. withNode says which of the job's nodes is shown.
func (f *frame) header(withNode bool) {
	right := f.position(true, withNode)
	start := f.w - width(right)
	for _, job := range []bool{true, false} { // the job's name goes before where it is in a list
		if start >= f.jobNameLeast() {
			break
		}
		right = f.position(job, false)
		start = f.w - width(right)
	}
	x := f.jobName(start)
	if times := f.jobTimes(); x+width(times) < start {
		f.words(x, 0, times...)
	}
	f.words(start, 0, right...)
	f.healthLine()
}

// jobName draws which job it is, not beyond column end, and returns the column behind it.
func (f *frame) jobName(end int) int {
	room := 12
	if f.w >= 100 {
		room = 24
	}
	if f.job.ID == "" {
		n := len(f.job.Nodes)
		how := f.job.Name
		if how == "" {
			how = "named by hand"
		}
		x := f.Put(1, 0, plural(n, "node", "nodes"), draw.Strong)
		return f.Put(x, 0, draw.Clip("  "+how, end-x), draw.Dim)
	}
	x := 1
	for _, w := range []word{{"Job ", draw.Dim}, {draw.Clip(f.job.ID, max(end-x-5, 0)), draw.Strong}, {" ", draw.Text}} {
		x = f.PutUntil(x, 0, end-1, w.text, w.role)
	}
	x = f.PutUntil(x, 0, end-1, draw.Clip(f.job.Name, min(room, max(end-1-x, 0))), draw.Strong)
	if f.w >= 100 {
		x = f.Put(x, 0, "  "+draw.Clip(f.job.User, 16), draw.Dim)
	}
	return x
}

// jobNameLeast is the least room that jobName is worth something in: the ID, and the beginning of the name.
func (f *frame) jobNameLeast() int {
	const name = 6
	if f.job.ID == "" {
		return 10
	}
	return 1 + len("Job ") + draw.Width(f.job.ID) + 1 + min(draw.Width(f.job.Name), name) + 1
}

// jobTimes is for how long the job runs and may run.
func (f *frame) jobTimes() []word {
	var words []word
	now := f.snap.At
	if f.w >= 100 && !f.job.Start.IsZero() {
		words = append(words, word{"  R ", draw.Dim}, word{draw.JobTime(now.Sub(f.job.Start)), draw.Text})
		if f.w >= 130 && f.job.Limit > 0 {
			words = append(words, word{" of " + draw.JobTime(f.job.Limit), draw.Dim})
		}
	}
	if !f.job.End.IsZero() {
		role := draw.Text
		if f.w < 100 {
			role = draw.Dim
		}
		words = append(words, word{"  " + draw.JobTime(f.job.End.Sub(now)), draw.Text}, word{" left", role})
	}
	return words
}

// position is the right end of row 0: where in the lists, how often, what time.
func (f *frame) position(withJob, withNode bool) []word {
	wide := f.w >= 100
	var words []word
	add := func(name string, at, n int, arrows string) {
		words = append(words, word{name + " [", draw.Dim}, word{strconv.Itoa(at+1) + "/" + strconv.Itoa(n), draw.Text}, word{"]", draw.Dim})
		if wide {
			words = append(words, word{" " + arrows, draw.Dim})
		}
		words = append(words, word{"  ", draw.Dim})
	}
	if f.job.ID != "" && withJob {
		add("job", f.jobAt, len(f.snap.Jobs), "↑↓")
	}
	if withNode {
		add("node", f.nodeAt, len(f.job.Nodes), "←→")
	}
	return append(words, f.clock()...)
}

func (f *frame) clock() []word {
	clock := word{f.snap.At.Format(time.TimeOnly) + " ", draw.Text}
	if f.w < 110 {
		return []word{clock}
	}
	return []word{{"poll:" + seconds(f.poll) + " disp:" + seconds(f.display) + "  ", draw.Dim}, clock}
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// plural is "1 node", "4 nodes".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// tabs draws the rule of row 2 with the job's nodes in it.
func (f *frame) tabs() {
	const y, longest = 2, 24
	f.Fill(0, y, f.w, '─', draw.Faint)
	per := 0
	for _, name := range f.job.Nodes {
		per = max(per, min(draw.Width(name), longest)+6)
	}
	n := max(1, (f.w-12)/per)
	from := max(0, min(f.nodeAt-n/2, len(f.job.Nodes)-n))
	to := min(len(f.job.Nodes), from+n)
	x := 2
	if from > 0 {
		x = f.Put(x, y, " ‹"+strconv.Itoa(from)+" ", draw.Dim) + 1
	}
	for i := from; i < to; i++ {
		x = f.tab(x, y, draw.ClipMiddle(f.job.Nodes[i], longest), f.health.nodeMark(f.job.Nodes[i]), i == f.nodeAt) + 1
	}
	if to < len(f.job.Nodes) {
		f.Put(x, y, " "+strconv.Itoa(len(f.job.Nodes)-to)+"› ", draw.Dim)
	}
}

func (f *frame) tab(x, y int, name string, m mark, current bool) int {
	role, glyphRole := draw.Dim, m.role
	if current {
		role, glyphRole = draw.Tab, draw.Tab
	}
	x = f.Put(x, y, " "+name, role)
	if m.glyph != "" {
		x = f.Put(x, y, " "+m.glyph, glyphRole)
	}
	return f.Put(x, y, " ", role)
}

// hint is a key and what it does, for the last row.
type hint struct{ key, verb string }

var lastHints = map[string]bool{"Esc": true, "?": true, "q": true}

// footer draws the keys. They are cut from the right; Esc, ? and q stay.
func (f *frame) footer(right string, hints ...hint) {
	y := f.h - 1
	end := f.w - 1
	if right != "" {
		end -= draw.Width(right) + 2
		f.Put(f.w-1-draw.Width(right), y, right, draw.Dim)
	}
	var first, last []hint
	room := end - 1
	for _, h := range hints {
		if lastHints[h.key] {
			last = append(last, h)
			room -= h.width()
		} else {
			first = append(first, h)
		}
	}
	x := 1
	for _, h := range first {
		if room -= h.width(); room < -2 {
			break
		}
		x = f.hint(x, y, h)
	}
	for _, h := range last {
		if x+h.width()-2 > end {
			break
		}
		x = f.hint(x, y, h)
	}
}

func (h hint) width() int { return draw.Width(h.key) + 1 + draw.Width(h.verb) + 2 }

func (f *frame) hint(x, y int, h hint) int {
	return f.words(x, y, word{h.key, draw.Strong}, word{" " + h.verb, draw.Dim}) + 2
}

// retry says when a node is tried again: "next in 14s".
func (f *frame) retry(n *cluster.Node) string {
	if n.RetryAt.IsZero() || !n.RetryAt.After(f.snap.At) {
		return ""
	}
	return "next in " + draw.Age(n.RetryAt.Sub(f.snap.At).Round(time.Second))
}
