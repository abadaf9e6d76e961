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

// warningLines describe the effect of the signal on the recipients, and on others.
func (d *Dialog) warningLines(s *part.Scene) (lines [][]part.Piece) {
	if d.countSignalable() == 0 {
		return nil
	}
	lines = wrapSentence(s, part.Dim(d.by.effectText()))
	if text := d.partialJobWarning(s); text != "" {
		lines = append(lines, wrapWarning(s, text)...)
	}
	if n := d.ofOthers(); n > 0 {
		lines = append(lines, wrapWarning(s, onOthers(n, d.by.words().may))...)
	}
	if n := d.countHidden(s); n > 0 {
		lines = append(lines, wrapWarning(s, onHidden(n, d.by.words().hidden))...)
	}
	if text := d.unlistedText(s); text != "" {
		lines = append(lines, wrapSentence(s, part.Dim(text))...)
	}
	return lines
}

// wrapSentence breaks a sentence into lines.
func wrapSentence(s *part.Scene, p part.Piece) (lines [][]part.Piece) {
	for _, text := range draw.Wrap(p.Text, textWidth(s), "  ") {
		lines = append(lines, []part.Piece{{Text: text, Role: p.Role}})
	}
	return lines
}

// wrapWarning breaks a sentence into lines after the mark of a warning.
func wrapWarning(s *part.Scene, text string) (lines [][]part.Piece) {
	mark := part.Marks[cluster.Warning]
	for i, line := range draw.Wrap(text, textWidth(s)-2, "") {
		if i > 0 {
			mark.Glyph = " "
		}
		lines = append(lines, []part.Piece{{Text: mark.Glyph + " ", Role: mark.Role}, part.Text(line)})
	}
	return lines
}

// partialJobWarning warns that some ranks of a job get the signal and others do not; "": all get it, or none.
func (d *Dialog) partialJobWarning(s *part.Scene) string {
	if !d.by.haltsPrograms() {
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
			return "Only " + strconv.Itoa(n) + " of " + strconv.Itoa(all) + " ranks of job " + job.ID + getsIt(n) +
				": the others will wait or fail."
		}
	}
	return ""
}

func getsIt(n int) string {
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

func onOthers(n int, may string) string {
	if n == 1 {
		return "1 of these belongs to another user: root may " + may + " it."
	}
	return strconv.Itoa(n) + " of these belong to other users: root may " + may + " them."
}

// countHidden counts recipients that the page does not list. A signal to all ranks of a job includes them.
func (d *Dialog) countHidden(s *part.Scene) (n int) {
	for i := range d.list {
		if t := &d.list[i]; t.Refusal() == "" && !s.Only.ShowsProcess(s.NodeOf(t.Node), t.ProcessID) {
			n++
		}
	}
	return n
}

func onHidden(n int, also [2]string) string {
	if n == 1 {
		return "1 of these is on a GPU that --only hides: " + also[0] + "."
	}
	return strconv.Itoa(n) + " of these are on GPUs that --only hides: " + also[1] + "."
}

// unlistedText says that processes are missing from the list, which was made at the time of the choice.
func (d *Dialog) unlistedText(s *part.Scene) string {
	switch d.whom.kind {
	case theFamily:
		if d.family.more {
			return "The process has more children: the node does not list them all."
		}
	case theRank, theJob:
		var said []string
		late := d.countLateListed(s)
		if b := d.blind; b.nodes > 0 {
			verb := " are"
			if late > 0 {
				verb = " were"
			}
			said = append(said, "No processes"+verb+" listed on "+strconv.Itoa(b.nodes)+" of "+
				part.Plural(b.of, "node", "nodes")+": nothing is "+d.by.words().done+" there.")
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

// countLateListed counts the processes that have been listed since the list was made.
func (d *Dialog) countLateListed(s *part.Scene) (n int) {
	meant := map[processKey]bool{}
	for i := range d.list {
		meant[spotOf(&d.list[i].Target)] = true
	}
	for _, t := range d.whom.listTargets(s, d.family) {
		if !meant[spotOf(&t)] {
			n++
		}
	}
	return n
}

// processKey identifies a process among all nodes.
type processKey struct {
	node string
	wire.ProcessID
}

func spotOf(t *tally.Target) processKey { return processKey{t.Node, t.ProcessID} }
