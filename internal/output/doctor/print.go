package doctor

import (
	_ "embed"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// JSON writes the report as a document, indented, with a newline at its end.
func JSON(w io.Writer, r *Report) error {
	return text.WriteJSON(w, "  ", r)
}

// The columns of the text.
const (
	verdictX = 2
	nameX    = 11
	textX    = 22
	hintX    = 24
	tookW    = 7
	tookX    = textWidth - tookW
	// textWidth is the width of the text.
	textWidth = 80
)

// Text writes the report as text of at most 80 columns.
func Text(w io.Writer, r *Report, profile colorprofile.Profile, ascii bool) error {
	p := &printer{said: map[string]bool{}}
	from := r.User + " on " + r.Host
	if r.Login != "" {
		from += ", through " + r.Login
	}
	p.printLine(0, "nvnodetop "+r.Program+", "+from+", "+r.Time.Format(time.DateTime), draw.Dim)
	p.printTitle("SLURM")
	p.printSteps(r.Slurm)
	for i := range r.Nodes {
		p.printNode(&r.Nodes[i])
	}
	if r.Job != nil {
		clear(p.said)
		p.printTitle("job " + r.Job.ID)
		p.printSteps(r.Job.Steps)
	}
	canvas := draw.New(textWidth, len(p.lines))
	for y, line := range p.lines {
		for _, piece := range line {
			canvas.Put(piece.x, y, piece.text, piece.role)
		}
	}
	_, err := w.Write(append(draw.NewTheme(profile, false, ascii).Encode(nil, canvas), '\n'))
	return err
}

// printer makes lines of pieces.
type printer struct {
	lines [][]printedPiece
	said  map[string]bool // explanations already printed for this node
}

type printedPiece struct {
	x    int
	text string
	role draw.Role
}

func (p *printer) printLine(x int, text string, role draw.Role) {
	p.lines = append(p.lines, []printedPiece{{x, text, role}})
}

func (p *printer) printTitle(text string) {
	p.printLine(0, "", draw.Text)
	p.printLine(0, text, draw.Strong)
}

// printNode prints the transports that were tried, then those that were passed over, then the choice of nvnodetop.
func (p *printer) printNode(n *NodeResult) {
	clear(p.said)
	var passed []Step
	for i := range n.Transports {
		t := &n.Transports[i]
		if len(t.Steps) == 1 && t.Steps[0].Verdict == Skipped {
			step := t.Steps[0]
			step.Name = t.Name
			passed = append(passed, step)
			continue
		}
		p.printTitle(n.Name + ", transport " + t.Name)
		p.printSteps(t.Steps)
	}
	p.printTitle(n.Name)
	p.printSteps(passed)
	p.printSteps(n.Steps)
}

// verdictRoles are the looks of the verdicts.
var verdictRoles = [...]draw.Role{Skipped: draw.Dim, OK: draw.Data, Warning: draw.Warn, Failed: draw.Crit}

// maxQuoted limits how many lines of the other side's words are quoted.
const maxQuoted = 6

func (p *printer) printSteps(steps []Step) {
	for i := range steps {
		s := &steps[i]
		role := draw.Text
		if s.Verdict == Skipped {
			role = draw.Dim
		}
		took := ""
		if s.Took > 0 {
			took = draw.Took(time.Duration(s.Took * float64(time.Second)))
		}
		width := tookX - 1 - textX
		p.lines = append(p.lines, []printedPiece{
			{verdictX, s.Verdict.String(), verdictRoles[s.Verdict]}, {nameX, draw.Clip(s.Name, textX-1-nameX), role},
			{textWidth - draw.Width(took), took, draw.Dim},
		})
		for k, text := range draw.Wrap(s.Text, width, "") {
			if k == 0 {
				p.lines[len(p.lines)-1] = append(p.lines[len(p.lines)-1], printedPiece{textX, text, role})
				continue
			}
			p.printLine(textX, text, role)
		}
		p.explainStep(s)
	}
}

// explainStep prints the other side's words, their meaning and what to try. It prints nothing twice for the same node.
func (p *printer) explainStep(s *Step) {
	if p.isNewText(s.Words) {
		quoted := strings.Split(s.Words, "\n")
		for _, words := range quoted[:min(len(quoted), maxQuoted)] {
			p.printWrapped("| ", words)
		}
	}
	if p.isNewText(s.Meaning) {
		p.printWrapped("", s.Meaning)
	}
	for _, hint := range s.Hints {
		if p.isNewText(hint) {
			p.printWrapped("→ ", hint)
		}
	}
}

// isNewText reports whether a text is not empty and is new for this node.
func (p *printer) isNewText(text string) bool {
	defer func() { p.said[text] = true }()
	return text != "" && !p.said[text]
}

// printWrapped prints text below a step, after a mark.
func (p *printer) printWrapped(mark, text string) {
	for i, line := range draw.Wrap(text, textWidth-hintX-draw.Width(mark), "") {
		if i > 0 && mark != "| " {
			mark = strings.Repeat(" ", draw.Width(mark))
		}
		p.printLine(hintX, mark+line, draw.Dim)
	}
}
