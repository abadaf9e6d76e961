package joblog

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// A report is compared with that of another job, if one was open before: the footer names that job only then.
func TestTwoReports(t *testing.T) {
	p, s := &ReportPage{}, scene()
	s.W, s.H = 100, 30
	compare := keys.Pressed(keys.CompareReports.Keys()[0])
	screen := func() string {
		f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
		p.Draw(f)
		return string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
	}
	show := func(job string) {
		asked := open(p, job)
		made := ended(1)
		made.Job.ID = job
		p.Press(nav.Result{Ask: *asked, Report: made}, s)
	}
	show("7")
	if a := p.Press(compare, s); !strings.HasPrefix(a.Notice, "nothing to compare with") ||
		strings.Contains(screen(), "compare with") {
		t.Errorf("the first report: %+v\n%s", a, screen())
	}
	show("8")
	if text := screen(); !strings.Contains(text, "Report of job 8") || !strings.Contains(text, "c compare with 7") {
		t.Errorf("the second report:\n%s", text)
	}
	p.Press(compare, s)
	if text := screen(); !strings.Contains(text, "Job 8 against job 7") || !strings.Contains(text, "B against A") ||
		!strings.Contains(text, "c job 8 alone") {
		t.Errorf("the two:\n%s", text)
	}
	p.Press(compare, s)
	if text := screen(); !strings.Contains(text, "Report of job 8") || strings.Contains(text, "B against A") {
		t.Errorf("alone again:\n%s", text)
	}
}
