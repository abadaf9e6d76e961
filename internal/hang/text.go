package hang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// GroupParting is how two groups differ, outermost first: the frames that they share, and those that follow in each.
type GroupParting struct {
	Common, A, B []rankstacks.Frame
}

// DiffGroups compares two groups from the outermost frame on. A frame in common at different lines has both lines.
func DiffGroups(a, b *rankstacks.Group) GroupParting {
	x, y := slices.Clone(a.Frames), slices.Clone(b.Frames)
	slices.Reverse(x)
	slices.Reverse(y)
	n := 0
	for n < len(x) && n < len(y) && x[n].Function == y[n].Function && x[n].File == y[n].File {
		if x[n].Line != y[n].Line {
			x[n].Lines = []rankstacks.Line{{Line: x[n].Line, Members: a.Members},
				{Line: y[n].Line, Members: b.Members}}
		}
		n++
	}
	return GroupParting{Common: x[:n], A: x[n:], B: y[n:]}
}

// FrameText writes a frame with its full path: "main  /home/alice/train.py:301".
func FrameText(f *rankstacks.Frame) string {
	return strings.TrimSpace(f.Function + "  " + FramePath(f))
}

// FramePath is the file of a frame with its line.
func FramePath(f *rankstacks.Frame) string {
	if f.Line > 0 {
		return f.File + ":" + strconv.Itoa(f.Line)
	}
	return f.File
}

// FirstRankName names the first rank of a group.
func FirstRankName(g *rankstacks.Group) string { return placeOf(&g.Ranks[0]).Name(" ") }

// placeOf returns the place of a rank of a document.
func placeOf(r *rankstacks.Rank) *stacks.Place {
	p := &stacks.Place{Number: stacks.NoRank, Node: r.Node, GPUs: r.GPUs}
	p.PID = r.PID
	if r.Rank != nil {
		p.Number = *r.Rank
	}
	return p
}

// RanksByNode names the ranks node by node: "gpu-n01  ranks 0-7  GPU0-7".
func RanksByNode(ranks []rankstacks.Rank) (lines []string) {
	at := map[string]int{}
	var nodes [][]rankstacks.Rank
	for _, r := range ranks {
		i, known := at[r.Node]
		if !known {
			i = len(nodes)
			at[r.Node] = i
			nodes = append(nodes, nil)
		}
		nodes[i] = append(nodes[i], r)
	}
	for _, on := range nodes {
		lines = append(lines, onNode(on))
	}
	return lines
}

func onNode(ranks []rankstacks.Rank) string {
	var numbers, gpus, pids []int
	for i := range ranks {
		if ranks[i].Rank != nil {
			numbers = append(numbers, *ranks[i].Rank)
		}
		gpus, pids = append(gpus, ranks[i].GPUs...), append(pids, ranks[i].PID)
	}
	parts := []string{ranks[0].Node}
	for _, of := range []struct {
		one, many string
		list      []int
	}{{"rank ", "ranks ", numbers}, {"GPU", "GPU", gpus}, {"PID ", "PIDs ", pids}} {
		slices.Sort(of.list)
		switch {
		case of.one == "PID " && len(of.list) > 2: // it adds nothing for several
		case len(of.list) == 1:
			parts = append(parts, of.one+text.Ranges(of.list))
		case len(of.list) > 1:
			parts = append(parts, of.many+text.Ranges(of.list))
		}
	}
	return strings.Join(parts, "  ")
}

// WorkerText describes a descendant that waits for a file.
func WorkerText(w *rankstacks.Worker) string {
	text := w.Node + "  PID " + strconv.Itoa(w.PID) + "  " + w.Name
	if file := cmp.Or(w.File, w.Mount); file != "" {
		text += "  waits for " + file
	}
	if w.FileSystem != "" {
		text += " (" + w.FileSystem + ")"
	}
	if w.Summary != "" {
		text += "  in " + w.Summary
	}
	return text
}

// TextDetail says how much Text writes.
type TextDetail bool

// Levels of detail.
const (
	BriefText TextDetail = false // a line or two for each group
	FullText  TextDetail = true  // and its frames
)

// VerdictText writes a document for people.
func VerdictText(d *rankstacks.Verdict, how TextDetail) string {
	var b strings.Builder
	if d.Job != "" {
		fmt.Fprintf(&b, "Job %s at %s: %s\n", d.Job, d.Time.Format("2006-01-02 15:04:05"), d.State)
	}
	if d.NCCL != nil {
		for _, said := range d.NCCL.Said {
			fmt.Fprintln(&b, said)
		}
	}
	for _, said := range d.Said {
		fmt.Fprintln(&b, said)
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		if how == FullText {
			b.WriteString("\n" + GroupText(g, nil))
			continue
		}
		fmt.Fprintf(&b, "%6d %-5s  %s\n%15s%s\n", len(g.Ranks),
			map[bool]string{true: "rank", false: "ranks"}[len(g.Ranks) == 1],
			g.Summary, "", g.Members)
		for _, why := range NotRead(g) {
			fmt.Fprintf(&b, "%15s%s\n", "", why)
		}
		if len(g.Workers) > 0 {
			fmt.Fprintf(&b, "%15s%s\n", "", stacks.Workers(g.Workers))
		}
	}
	for _, r := range Ungrouped(d) {
		b.WriteString(GroupText(nil, r))
	}
	return b.String()
}

// Ungrouped returns the reasons why places are not known, of the ranks that stand in no group.
func Ungrouped(d *rankstacks.Verdict) (list []*rankstacks.Refusal) {
	for i := range d.Refused {
		if !d.Refused[i].Grouped {
			list = append(list, &d.Refused[i])
		}
	}
	return list
}

// NotRead says why only the kernel tells how the ranks of a group wait, and what can be changed; nil: more is known.
func NotRead(g *rankstacks.Group) []string {
	switch {
	case g.Cause == "":
		return nil
	case g.Hint == "":
		return []string{"not read: " + g.Cause}
	}
	return []string{"not read: " + g.Cause, g.Hint}
}

// GroupText writes a group in full, or the ranks that have no stack for one reason.
func GroupText(g *rankstacks.Group, r *rankstacks.Refusal) string {
	var b strings.Builder
	if g == nil {
		fmt.Fprintf(&b, "not read, %s: %s\n", r.Members, r.Cause)
		if r.Hint != "" {
			fmt.Fprintf(&b, "  %s\n", r.Hint)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%d of the job's processes: %s\n", len(g.Ranks), g.Summary)
	for _, line := range RanksByNode(g.Ranks) {
		b.WriteString("  " + line + "\n")
	}
	for _, why := range NotRead(g) {
		b.WriteString("  " + why + "\n")
	}
	writeFrames(&b, g.Frames)
	for i := range g.Threads {
		fmt.Fprintf(&b, "  thread %d %s of %s\n", g.Threads[i].TID, g.Threads[i].Name, FirstRankName(g))
		writeFrames(&b, g.Threads[i].Frames)
	}
	for i := range g.Workers {
		b.WriteString("  worker " + WorkerText(&g.Workers[i]) + "\n")
	}
	return b.String()
}

func writeFrames(b *strings.Builder, frames []rankstacks.Frame) {
	for i := range frames {
		b.WriteString("    " + FrameText(&frames[i]) + "\n")
		for _, l := range frames[i].Lines {
			fmt.Fprintf(b, "        line %d: %s\n", l.Line, l.Members)
		}
	}
}

// DiffText writes where two groups part.
func DiffText(a, b *rankstacks.Group) string {
	var text strings.Builder
	d := DiffGroups(a, b)
	writeFrames(&text, d.Common)
	fmt.Fprintf(&text, "then %s:\n", a.Members)
	writeFrames(&text, d.A)
	fmt.Fprintf(&text, "then %s:\n", b.Members)
	writeFrames(&text, d.B)
	return text.String()
}
