package joblog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func scene() *part.Scene {
	s := &part.Scene{Snap: &cluster.Snapshot{At: noon}, Memory: &part.Memory{}}
	s.W, s.H = 80, reportTop+1+5 // five rows
	return s
}

// ended is the report of a job that has ended, with so many notes.
func ended(notes int) *report.Report {
	r := &report.Report{Job: report.Job{ID: "7", State: "COMPLETED", End: noon}}
	for i := range notes {
		r.Notes = append(r.Notes, report.Note{Text: fmt.Sprint("note ", i)})
	}
	return r
}

// open opens the report of a job, and returns the question that it brings; nil: none.
func open(p *ReportPage, job string) *nav.Ask {
	p.Arrive(scene(), nav.Go{Report: job})
	if asked := p.Due().Ask; len(asked) > 0 {
		return &asked[0]
	}
	return nil
}

// A report is asked for once: again only for another job, after an error, or if the job had not ended by then.
func TestAReportIsAskedForOnce(t *testing.T) {
	p := &ReportPage{}
	first := open(p, "7")
	if first == nil || first.Report.Job != "7" || len(p.Due().Ask) > 0 {
		t.Fatalf("asked for %+v, and again for %+v", first, p.Due().Ask)
	}
	if open(p, "7") != nil {
		t.Error("asked again before the answer")
	}
	second := open(p, "8")
	if p.Press(nav.Result{Ask: *first, Report: ended(1)}, scene()); second == nil || p.made != nil {
		t.Errorf("job 8, asked for %+v, has the report of job 7", second)
	}
	p.Press(nav.Result{Ask: *second, Err: errors.New("no\x1b[31m answer")}, scene())
	if said := p.whyNoReport()[0]; p.made != nil || said != "There is no report: no answer." {
		t.Errorf("%q", said)
	}
	third := open(p, "8")
	if third == nil {
		t.Fatal("not asked again after an error")
	}
	runs := ended(1)
	runs.Job.End = time.Time{}
	p.Press(nav.Result{Ask: *third, Report: runs}, scene())
	fourth := open(p, "8")
	if fourth == nil {
		t.Fatal("not asked again about a job that the accounting let run")
	}
	p.Press(nav.Result{Ask: *fourth, Report: ended(1)}, scene())
	if open(p, "8") != nil || p.made == nil {
		t.Error("asked again, although the job has ended and its report is known")
	}
	if said := reportErrorText(context.DeadlineExceeded); !strings.Contains(said, "did not answer in time") {
		t.Errorf("%q", said)
	}
}

// Keys and the wheel scroll, l leads to the log, and other keys are not the page's.
func TestAReportScrolls(t *testing.T) {
	p := &ReportPage{}
	if p.Press(tea.KeyPressMsg{Code: tea.KeyEnd}, scene()); p.from != 0 {
		t.Errorf("nothing is scrolled to %d", p.from)
	}
	p.Press(nav.Result{Ask: *open(p, "7"), Report: ended(40)}, scene())
	all := p.visibleLines(scene()).All
	for _, step := range []struct {
		msg  tea.Msg
		from int
	}{
		{tea.KeyPressMsg{Code: tea.KeyDown}, 1}, {tea.MouseWheelMsg{Button: tea.MouseWheelDown}, 1 + nav.WheelRows},
		{tea.KeyPressMsg{Code: tea.KeyPgDown}, 6 + nav.WheelRows}, {tea.KeyPressMsg{Code: tea.KeyEnd}, all - 5},
		{tea.MouseWheelMsg{Button: tea.MouseWheelDown}, all - 5}, {tea.KeyPressMsg{Code: tea.KeyHome}, 0},
	} {
		if a := p.Press(step.msg, scene()); !a.Taken || p.from != step.from {
			t.Errorf("%v leads to line %d, want %d", step.msg, p.from, step.from)
		}
	}
	if a := p.Press(tea.KeyPressMsg{Code: 'l', Text: "l"}, scene()); a.Page != keys.OnLog || a.Log != "7" {
		t.Errorf("l leads to %+v", a.Go)
	}
	if p.Press(tea.KeyPressMsg{Code: tea.KeyEscape}, scene()).Taken {
		t.Error("Esc does not lead back")
	}
}

// After the terminal has become higher the last page is full.
func TestAReportOnALargerScreen(t *testing.T) {
	p := &ReportPage{}
	p.Press(nav.Result{Ask: *open(p, "7"), Report: ended(3)}, scene())
	p.Press(tea.KeyPressMsg{Code: tea.KeyEnd}, scene())
	large := scene()
	large.H += 50
	if w := p.visibleLines(large); w.From != 0 || w.Shown != w.All {
		t.Errorf("%+v", w)
	}
}
