package signal

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// warnings describe the effect of the signal on the recipients, and on others.
func (d *Dialog) warnings(s *part.Scene) (lines [][]part.Piece) {
	if d.willing() == 0 {
		return nil
	}
	lines = wrapped(s, part.Dim(d.by.effect()))
	if text := d.others(s); text != "" {
		lines = append(lines, marked(s, text)...)
	}
	if n := d.ofOthers(); n > 0 {
		lines = append(lines, marked(s, onOthers(n))...)
	}
	if n := d.hidden(s); n > 0 {
		lines = append(lines, marked(s, onHidden(n))...)
	}
	if text := d.unlisted(s); text != "" {
		lines = append(lines, wrapped(s, part.Dim(text))...)
	}
	return lines
}

// wrapped breaks a sentence into lines.
func wrapped(s *part.Scene, p part.Piece) (lines [][]part.Piece) {
	for _, text := range draw.Wrap(p.Text, width(s), "  ") {
		lines = append(lines, []part.Piece{{Text: text, Role: p.Role}})
	}
	return lines
}

// marked breaks a sentence into lines after the mark of a warning.
func marked(s *part.Scene, text string) (lines [][]part.Piece) {
	mark := part.Marks[cluster.Warning]
	for i, line := range draw.Wrap(text, width(s)-2, "") {
		if i > 0 {
			mark.Glyph = " "
		}
		lines = append(lines, []part.Piece{{Text: mark.Glyph + " ", Role: mark.Role}, part.Text(line)})
	}
	return lines
}

// others says that some ranks of a job get the signal and others do not; "": all get it, or none.
func (d *Dialog) others(s *part.Scene) string {
	if !d.by.halts() {
		return ""
	}
	ofJob := map[string][]tally.Target{}
	for i := range d.list {
		if t := d.list[i].Target; t.Refusal() == "" {
			ofJob[t.Job] = append(ofJob[t.Job], t)
		}
	}
	for i := range s.Snap.Jobs {
		job := &s.Snap.Jobs[i]
		n := tally.CountRanks(ofJob[job.ID])
		if n == 0 {
			continue
		}
		switch all := tally.RanksOf(s.Snap, job); {
		case n < all && d.whom.kind == theJob:
			return strconv.Itoa(all-n) + " of " + strconv.Itoa(all) + " ranks of job " + job.ID +
				" cannot be reached, and will not get it."
		case n < all:
			return "Only " + strconv.Itoa(n) + " of " + strconv.Itoa(all) + " ranks of job " + job.ID + gets(n) +
				": the others will wait or fail."
		}
	}
	return ""
}

func gets(n int) string {
	if n == 1 {
		return " gets it"
	}
	return " get it"
}

// ofOthers counts recipients that belong to other users.
func (d *Dialog) ofOthers() (n int) {
	for i := range d.list {
		if d.list[i].Owner != nil && d.list[i].Refusal() == "" {
			n++
		}
	}
	return n
}

func onOthers(n int) string {
	if n == 1 {
		return "1 of these belongs to another user: root may signal it."
	}
	return strconv.Itoa(n) + " of these belong to other users: root may signal them."
}

// hidden counts recipients that the page does not list: a signal to all ranks of a job includes them.
func (d *Dialog) hidden(s *part.Scene) (n int) {
	for i := range d.list {
		if t := &d.list[i]; t.Refusal() == "" && !s.Only.ShowsProcess(s.NodeOf(t.Node), t.ProcessID) {
			n++
		}
	}
	return n
}

func onHidden(n int) string {
	if n == 1 {
		return "1 of these is on a GPU that --only hides: it gets the signal too."
	}
	return strconv.Itoa(n) + " of these are on GPUs that --only hides: they get the signal too."
}

// unlisted says that processes are missing in the list, which is as old as the choice.
func (d *Dialog) unlisted(s *part.Scene) string {
	switch d.whom.kind {
	case theFamily:
		if d.family.more {
			return "The process has more children: the node does not list them all."
		}
	case theRank, theJob:
		var said []string
		late := d.late(s)
		if b := d.blind; b.nodes > 0 {
			verb := " are"
			if late > 0 {
				verb = " were"
			}
			said = append(said, "No processes"+verb+" listed on "+strconv.Itoa(b.nodes)+" of "+
				part.Plural(b.of, "node", "nodes")+": nothing is sent there.")
		}
		if late > 0 {
			verb, them := " more process has", "it"
			if late > 1 {
				verb, them = " more processes have", "them"
			}
			said = append(said, strconv.Itoa(late)+verb+" been listed since: press "+keys.Whom.Help().Key+", then "+
				keys.WhomBefore.Help().Key+", to include "+them+".")
		}
		return strings.Join(said, " ")
	}
	return ""
}

// late counts the processes that were listed only after the list was made.
func (d *Dialog) late(s *part.Scene) (n int) {
	meant := map[spot]bool{}
	for i := range d.list {
		meant[spotOf(&d.list[i].Target)] = true
	}
	for _, t := range d.whom.targets(s, d.family) {
		if !meant[spotOf(&t)] {
			n++
		}
	}
	return n
}

// spot identifies a process among all nodes.
type spot struct {
	node string
	wire.ProcessID
}

func spotOf(t *tally.Target) spot { return spot{t.Node, t.ProcessID} }
