package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// A node that is on every page of the heat map is selected on the page that is on; the page says which keys lead to
// others.
func TestPinnedNodesKeepThePage(t *testing.T) {
	many := uitest.ManyFixture(1000)
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return many },
		view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridMap }}, 60, 15)
	d.press("home")
	if rule := d.lines()[2]; !strings.Contains(rule, "1/") || !strings.Contains(rule, "  PgDn ") {
		t.Errorf("the first page says %q", rule)
	}
	d.press("pgdown")
	page2 := d.lines()[2]
	if !strings.Contains(page2, " 2/") || !strings.Contains(page2, "PgUp") {
		t.Fatalf("PgDn leads to %q", page2)
	}
	d.press("n")
	if rule := d.lines()[2]; !strings.Contains(rule, " 2/") {
		t.Errorf("n, to a pinned node, leads to %q", rule)
	}
	d.press("end")
	if rule := d.lines()[2]; !strings.Contains(rule, fmt.Sprint("of ", 1000-4)) || strings.Contains(rule, "PgDn") ||
		strings.Contains(rule, "1/") {
		t.Errorf("the last page says %q", rule)
	}
}

// A list of problems that fits does not scroll.
func TestProblemsThatFitStay(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems }}, 120, 40)
	before := strings.Join(d.lines(), "\n")
	d.press("pgdown")
	if after := strings.Join(d.lines(), "\n"); strings.Count(after, "gpu-n") != strings.Count(before, "gpu-n") ||
		strings.Contains(after, "PgUp") {
		t.Errorf("PgDn leads to\n%s", after)
	}
}

// From the only problem of its job n leads to the next job's; the footer has no n where it leads nowhere.
func TestNextProblemLeadsElsewhere(t *testing.T) {
	two := uitest.Fixture()
	thermal := cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-s11", GPU: 2}
	two.Jobs[0].Nodes, two.Jobs[0].Findings = []string{"gpu-n01", "gpu-n02"}, two.Jobs[0].Findings[1:2]
	two.Jobs[1].Findings = []cluster.Finding{thermal}
	r := newRig(t, two)
	if !strings.Contains(r.footer(), "n problem") {
		t.Errorf("the footer is %q", r.footer())
	}
	if r.press("n"); r.where() != "48377/gpu-s11 0" {
		t.Errorf("n leads to %s", r.where())
	}
	two.Jobs[1].Findings = nil
	r = newRig(t, two)
	if strings.Contains(r.footer(), "next problem") {
		t.Errorf("there is no other problem, and the footer is %q", r.footer())
	}
}

// Without a job the help has the keys that do something there.
func TestHelpWithoutJobs(t *testing.T) {
	r := newRig(t, uitest.NoJobsFixture())
	var text strings.Builder
	for _, it := range plain.paletteSource(keys.OnNoJobs, "", false).Here(r.scene) {
		fmt.Fprintln(&text, it.Text, it.Not)
	}
	if text := text.String(); !strings.Contains(text, "scroll the pending jobs") || strings.Contains(text, "next node") ||
		strings.Contains(text, "node's processes") || !strings.Contains(text, "process manager no job runs") {
		t.Errorf("the palette has\n%s", text)
	}
}

// Every page says that the mouse is off.
func TestMouseOffIsSaidEverywhere(t *testing.T) {
	for _, keys := range []string{"M", "M o", "M d", "M !", "M m", "M 1", "M U", "M 5", "5 M e",
		"5 M enter", "M f2"} {
		r := newRig(t, uitest.Fixture())
		r.press(strings.Fields(keys)...)
		if !strings.Contains(r.footer(), "mouse: off") {
			t.Errorf("after %q the footer is %q", keys, r.footer())
		}
	}
}

// A terminal without room for all GPUs says which it shows, and offers no processes.
func TestVeryLowNodeView(t *testing.T) {
	text := strings.Join(linesOf(shot{snap: uitest.Fixture, view: func(v *view) { v.chooseNode("gpu-n02", 1) }}, 120, 8), "\n")
	if !strings.Contains(text, "of 8  PgDn") || strings.Contains(text, "procs") {
		t.Errorf("the node view is\n%s", text)
	}
}

// However low the terminal is, keys reach all that the connection details say.
func TestConnectionScrolls(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}} {
		for name, view := range map[string]func(*view){
			"details": func(v *view) { v.chooseNode("gpu-n04", 3); v.on = keys.OnConnection },
			"node":    func(v *view) { v.chooseNode("gpu-n04", 3) },
		} {
			d := newDesk(t, shot{snap: uitest.Fixture, view: view}, size[0], size[1])
			d.reaches(name, []string{"What it means", "What to try", "Failed attempts", "18:39:02", "18:41:20"})
		}
	}
}

// A problem that is higher than the screen can be read to its end.
func TestATallProblemScrolls(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnProblems }}, 40, 8)
	d.press("home")
	seen := ""
	for range 30 {
		seen += strings.Join(d.lines(), "\n")
		d.press("down")
	}
	for _, want := range []string{"→", "crashed rank", "cooling", "admins"} {
		if !strings.Contains(seen, want) {
			t.Errorf("there is no %q in\n%s", want, seen)
		}
	}
}

// The pages of all jobs and of the users are reached from the processes too, as the help there says.
func TestJobsAndUsersFromTheProcesses(t *testing.T) {
	for k, want := range map[string]keys.Page{"1": keys.OnJobs, "U": keys.OnUsers} {
		r := newRig(t, uitest.Fixture())
		if r.press("5", k); r.view.on != want {
			t.Errorf("%s leads to screen %s, not to %s", k, r.view.on, want)
		}
		if r.press("esc"); r.view.on != keys.OnProcesses {
			t.Errorf("Esc leads back to screen %s", r.view.on)
		}
	}
}
