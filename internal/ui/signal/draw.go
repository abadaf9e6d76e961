package signal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Draw draws the dialog over the page.
func (d *Dialog) Draw(f *part.Frame) {
	if d.picker != nil {
		d.picker.drawPicker(f, "Send which signal to "+processCount(d.countSignalable())+"?")
		return
	}
	if d.form != nil {
		d.form.box(f.Scene, processCount(d.countSignalable())).drawBox(f)
		return
	}
	d.dialogBox(f.Scene).drawBox(f)
}

func processCount(n int) string { return part.Plural(n, "process", "processes") }

// dialogBox returns the box with the recipients, or with the results of the signal.
func (d *Dialog) dialogBox(s *part.Scene) boxText {
	if d.errand != nil {
		return d.outcomeBox(s)
	}
	n, words := d.countSignalable(), d.by.words()
	b := boxText{
		title: words.do + " " + d.by.String() + " " + words.to + " " + processCount(n) + "?",
		head:  [][]part.Piece{d.choicePieces(s)},
		from:  d.from,
		at:    -1,
		focus: keys.HintOf(keys.Dismiss),
	}
	if n > 0 {
		b.keys = append(b.keys, keys.HintOf(keys.Send).As(strings.ToLower(words.do)))
	} else {
		b.title = "No process to " + strings.ToLower(words.do) + " " + d.by.String() + " " + words.to
	}
	if d.whom.countChoices(s) > 1 {
		b.keys = append(b.keys, keys.HintOf(keys.Whom))
	}
	if n > 0 {
		other := keys.HintOf(keys.OtherSignal)
		if d.by.schedule != nil {
			other = other.As("other value")
		}
		b.keys = append(b.keys, other)
	}
	b.setRows(d.recipientRows(s))
	b.foot = d.warningLines(s)
	return b
}

// setRows makes lines the list of the box.
func (b *boxText) setRows(lines [][]part.Piece) {
	b.rows, b.row = len(lines), func(i int) []part.Piece { return lines[i] }
}

// choicePieces is the line with the choices of recipients.
func (d *Dialog) choicePieces(s *part.Scene) []part.Piece {
	var pieces []part.Piece
	n, at := d.whom.countChoices(s), 0
	for k := range kinds {
		if !d.whom.hasChoice(s, k) {
			continue
		}
		if k <= d.whom.kind {
			at++
		}
		text := " " + d.whom.choiceName(k) + " "
		if k == d.whom.kind {
			pieces = append(pieces, part.Piece{Text: text, Role: draw.Tab}, part.Text(" "))
		} else {
			pieces = append(pieces, part.Dim(text), part.Text(" "))
		}
	}
	if part.Width(pieces) <= textWidth(s) {
		return pieces
	}
	return []part.Piece{{Text: " " + d.whom.choiceName(d.whom.kind) + " ", Role: draw.Tab},
		part.Dim(" " + strconv.Itoa(at) + " of " + strconv.Itoa(n))}
}

// recipientRows are the recipients, a line each.
func (d *Dialog) recipientRows(s *part.Scene) [][]part.Piece {
	if len(d.list) == 0 {
		return [][]part.Piece{{d.whyEmpty()}}
	}
	c := columnsOf(s, d.list)
	var lines [][]part.Piece
	for i := range d.list {
		t := &d.list[i]
		switch why := t.Refusal(); {
		case why != "":
			lines = append(lines, c.rowPieces(t, draw.Ghost, part.Piece{Text: why, Role: draw.Ghost}))
		case tally.Left(s.Snap, &t.Target):
			lines = append(lines, c.rowPieces(t, draw.Dim, append(ownerPieces(t), part.Dim("no longer on its GPU: it may have "+
				"exited"))...))
		default:
			lines = append(lines, c.rowPieces(t, draw.Text, append(ownerPieces(t), part.Text(t.Command))...))
		}
	}
	return lines
}

// ownerPieces names the owner of a process of another user.
func ownerPieces(t *target) []part.Piece {
	if t.Owner == nil {
		return nil
	}
	return []part.Piece{{Text: "of " + t.User + ": ", Role: draw.Warn}}
}

func (d *Dialog) whyEmpty() part.Piece {
	switch at := d.whom.at; {
	case d.whom.kind != theFamily:
		return part.Dim("no processes are listed")
	case d.family.wrong != "":
		return part.Piece{Text: d.family.wrong, Role: draw.Warn}
	default:
		return part.Dim("asking " + at.Node + " for the children of " + strconv.Itoa(at.PID))
	}
}

// columns are the ends of the columns of the list.
type columns struct{ place, rank, gpu int }

// mostPlace is the maximum width of a node and a PID.
const mostPlace = 30

// columnsOf returns columns wide enough for the content of the list.
func columnsOf(s *part.Scene, list []target) columns {
	c := columns{}
	for i := range list {
		t := &list[i]
		c.place = max(c.place, draw.Width(nodeAndPID(t)))
		if t.Rank != nil {
			c.rank = max(c.rank, draw.Width(rankName(t)))
		}
		c.gpu = max(c.gpu, draw.Width(gpusText(t)))
	}
	c.place = min(c.place, mostPlace, max(textWidth(s)/2, 1))
	if textWidth(s) < 50 { // the reasons matter more
		c.rank, c.gpu = 0, 0
	}
	return c
}

func nodeAndPID(t *target) string { return t.Node + ":" + strconv.Itoa(t.PID) }

func rankName(t *target) string { return "rank " + strconv.Itoa(t.Rank.Rank) }

// gpusText is the GPUs of a process: "GPU3", "GPU0,1,2…".
func gpusText(t *target) string {
	if len(t.GPUs) == 0 {
		return ""
	}
	var numbers []string
	for _, n := range t.GPUs {
		numbers = append(numbers, strconv.Itoa(n))
	}
	return draw.Clip("GPU"+strings.Join(numbers, ","), 10)
}

// rowPieces is a row: the place of the process, its rank, its GPUs, and a remark.
func (c columns) rowPieces(t *target, role draw.Role, said ...part.Piece) []part.Piece {
	name := ":" + strconv.Itoa(t.PID)
	name = draw.ClipMiddle(t.Node, max(c.place-len(name), 1)) + name
	pieces := []part.Piece{{Text: padRight(name, c.place) + "  ", Role: role}}
	dim := draw.Dim
	if role == draw.Ghost {
		dim = draw.Ghost
	}
	if c.rank > 0 {
		text := ""
		if t.Rank != nil {
			text = rankName(t)
			text = "rank " + strings.Repeat(" ", c.rank-len(text)) + text[len("rank "):]
		}
		pieces = append(pieces, part.Piece{Text: padRight(text, c.rank) + "  ", Role: dim})
	}
	if c.gpu > 0 {
		pieces = append(pieces, part.Piece{Text: padRight(gpusText(t), c.gpu) + "  ", Role: dim})
	}
	return append(pieces, said...)
}

func padRight(s string, w int) string { return s + strings.Repeat(" ", max(w-draw.Width(s), 0)) }

// outcomeBox is the box after the signal was sent.
func (d *Dialog) outcomeBox(s *part.Scene) boxText {
	n, words := countFates(d.list), d.by.words()
	asked := len(d.list) - n[notAsked]
	b := boxText{
		title: words.did + " " + d.by.String() + " " + words.to + " " + strconv.Itoa(n[sent]) + " of " +
			processCount(asked),
		from: d.from,
		at:   -1, focus: keys.HintOf(keys.Leave).As("close"),
	}
	if n[waiting] > 0 {
		b.title = words.doing + " " + d.by.String() + " " + words.to + " " + processCount(asked)
	}
	b.setRows(d.resultRows(s))
	role := draw.Text
	if n[sent]+n[exited] < asked-n[waiting] {
		role = draw.Warn
	}
	b.foot = wrapSentence(s, part.Piece{Text: summarizeFates(d.list, words), Role: role})
	return b
}

// resultRows returns a line for each target. A node that says nothing about its targets has one line for all of them.
// Failures come first.
func (d *Dialog) resultRows(s *part.Scene) [][]part.Piece {
	c := columnsOf(s, d.list)
	lines := make([][]part.Piece, 0, len(d.list))
	type silence struct {
		node, why string
	}
	seen := map[silence]bool{} // one line for each
	var unheardOf []*target
	for _, t := range d.sortTargets() {
		if t.fate == unheard || t.fate == unasked {
			if at := (silence{t.Node, t.why}); !seen[at] {
				seen[at] = true
				unheardOf = append(unheardOf, t)
			}
			continue
		}
		lines = append(lines, c.rowPieces(t, resultRole(t.fate), resultPiece(t)))
	}
	var silent [][]part.Piece
	for _, t := range unheardOf {
		silent = append(silent, []part.Piece{part.Text(t.Node + "  "), part.Dim(d.unheardOn(t) + "  "),
			{Text: t.why, Role: draw.Warn}})
	}
	return append(silent, lines...)
}

// unheardOn names the targets about which a node says nothing, for the same reason.
func (d *Dialog) unheardOn(of *target) string {
	n := 0
	for i := range d.list {
		if t := &d.list[i]; t.fate == of.fate && t.Node == of.Node && t.why == of.why {
			n++
		}
	}
	if n == 1 {
		return "pid " + strconv.Itoa(of.PID)
	}
	return processCount(n)
}

// sortTargets returns the targets of the signal: first those that did not get it, last those that did.
func (d *Dialog) sortTargets() []*target {
	order := [fateKind]int{unheard: -7, unasked: -6, failed: -5, unsure: -8, foreign: -4, reused: -3, exited: -2,
		waiting: -1}
	var list []*target
	for i := range d.list {
		if d.list[i].fate != notAsked {
			list = append(list, &d.list[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *target) int { return cmp.Compare(order[a.fate], order[b.fate]) })
	return list
}

// resultPiece is the result of the signal for one process.
func resultPiece(t *target) part.Piece {
	if t.fate == waiting {
		return part.Dim("no answer yet")
	}
	return part.Piece{Text: t.why, Role: resultRole(t.fate)}
}

func resultRole(f signalOutcome) draw.Role {
	switch f {
	case reused, foreign, failed, unsure:
		return draw.Warn
	case exited, waiting:
		return draw.Dim
	}
	return draw.Text
}
