package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// rowsOf are the rows of a list: what stands below the headings, up to the first blank line, with single blanks.
func rowsOf(lines []string) (rows []string) {
	for _, line := range lines[4 : len(lines)-1] {
		if strings.TrimSpace(line) == "" {
			break
		}
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	return rows
}

// idsOf are the IDs of the rows of the jobs.
func idsOf(lines []string) string {
	var ids []string
	for _, row := range rowsOf(lines) {
		for field := range strings.FieldsSeq(row) {
			if strings.HasPrefix(field, "48") {
				ids = append(ids, field)
				break
			}
		}
	}
	return strings.Join(ids, " ")
}

func jobsDesk(t *testing.T, snap *cluster.Snapshot, w int) *desk {
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.on = keys.OnOverview }}, w, 40)
	d.press("1")
	return d
}

// J lists all jobs: those that run with their sums and the worst problem, then those that wait and why, then those that
// have ended and how.
func TestJobsPage(t *testing.T) {
	d := jobsDesk(t, uitest.JobsFixture(), 159)
	lines := d.lines()
	if want := "2 running, 1 suspended, 1 booting, 402 pending, 6 ended lately"; !strings.Contains(lines[1], want) {
		t.Errorf("row 1 is %q, want %q", lines[1], want)
	}
	got := rowsOf(lines)
	for i, want := range []string{
		"▸✗ R 48211 llama-70b gpu-long 4 32 ", "R 48377 eval-mmlu gpu 1 2 ", "S 48302 tokenize gpu 1 2",
		"· PD 48390 llama-70b-cont gpu-long 4 32 starts in 3h10m Priority",
		"· PD 48402 eval-mmlu gpu 1 – Resources",
		"· PD 48500_[1-400%12] a-very-long-job-name-fo… gpu-preemp… 16 128 QOSMaxGRESPerUser",
		"· CF 48391 boots gpu 2 16 nodes are booting",
		"· CG 48377_9 eval-mmlu gpu 1 2 ending", "▲ F 48377_2 eval-mmlu gpu 1 2 failed, exit code 3, 4m ago",
		"▲ F 48377_8 eval-mmlu gpu 1 2 failed, SIGKILL, 5m ago",
		"▲ OOM 48377_7 eval-mmlu gpu 1 2 out of memory, 6m ago",
		"· CD 48377_1 eval-mmlu gpu 1 2 completed, exit code 0, 31m ago",
		"· – 48100 eval-mmlu gpu 1 2 ended, 40m ago, reason not known",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("row %d is %q, want %q", i, slices.Concat(got, make([]string, 20))[i], want)
		}
	}
	for _, want := range []string{"gpu-n04", "login refused", "+"} {
		if !strings.Contains(got[0], want) {
			t.Errorf("the first row has no %q: %s", want, got[0])
		}
	}
	if !strings.HasSuffix(got[2], "stopped suspended") {
		t.Errorf("the suspended job: %s", got[2])
	}
}

func TestJobsSort(t *testing.T) {
	snap := uitest.JobsFixture()
	snap.Jobs[1].End, snap.Jobs[0].End = uitest.Now.Add(time.Hour), uitest.Now.Add(2*time.Hour)
	snap.Jobs[1].Findings = append(snap.Jobs[1].Findings,
		cluster.Finding{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-s11", GPU: 2})
	snap.Jobs[0], snap.Jobs[2] = snap.Jobs[2], snap.Jobs[0]
	d := jobsDesk(t, snap, 159)
	const pending, over = " 48390 48402 48500_[1-400%12] 48391 ", "48377_9 48377_2 48377_8 48377_7 48377_1 48100"
	for _, want := range []string{
		"48302 48377 48211" + pending + over,
		"48211 48377 48302" + pending + over,
		"48302 48377 48211" + pending + over, // what is suspended does nothing
		"48377 48211 48302" + pending + over,
	} {
		title := d.lines()[3]
		if got := idsOf(d.lines()); got != want {
			t.Errorf("%s:\n%s, want\n%s", strings.Join(strings.Fields(title), " "), got, want)
		}
		d.press("s")
	}
}

// Enter opens the job under the cursor: the overview, or the node view of a job of one node. Esc goes back to the jobs,
// then up.
func TestJobsOpen(t *testing.T) {
	d := jobsDesk(t, uitest.JobsFixture(), 120)
	steps := []struct {
		keys   string
		screen keys.Page
		job    string
	}{
		{"", keys.OnJobs, "48211"}, {"enter", keys.OnOverview, "48211"}, {"esc", keys.OnJobs, "48211"},
		{"down enter", keys.OnNode, "48377"}, {"esc", keys.OnJobs, "48377"},
		{"down", keys.OnJobs, "48302"}, {"down", keys.OnJobs, "48302"}, {"enter", keys.OnWaiting, "48302"},
		{"esc home", keys.OnJobs, "48211"}, {"]", keys.OnJobs, "48377"}, {"[", keys.OnJobs, "48211"},
		{"n", keys.OnJobs, "48211"}, {"1 esc", keys.OnOverview, "48211"}, {"1 U", keys.OnUsers, "48211"},
		{"1", keys.OnJobs, "48211"}, {"esc", keys.OnOverview, "48211"}, {"U U", keys.OnOverview, "48211"},
		{"1 left , a", keys.OnJobs, "48211"}, {"m", keys.OnRanks, "48211"}, {"esc", keys.OnJobs, "48211"},
		{"?", keys.OnJobs, "48211"}, {"esc esc", keys.OnOverview, "48211"},
	}
	for _, step := range steps {
		d.press(strings.Fields(step.keys)...)
		if d.v.on != step.screen || d.v.job != step.job || d.v.mine {
			t.Fatalf("after %q: screen %s with job %s, want %s with %s", step.keys, d.v.on, d.v.job, step.screen,
				step.job)
		}
	}
}

// An ended job has the reason why it has failed. Enter opens its report, and l there its log; Esc leads back.
func TestJobsThatDoNotRun(t *testing.T) {
	snap := uitest.JobsFixture()
	at := slices.IndexFunc(snap.Discovery.Ended, func(e cluster.EndedJob) bool { return e.ID == "48377_2" })
	snap.Discovery.Ended[at].Cause = "rank 3: ValueError: bad batch (train.py:20)"
	d := jobsDesk(t, snap, 159)
	d.press("down", "down", "down", "enter")
	if d.v.on != keys.OnWaiting {
		t.Errorf("Enter on a pending job: screen %s", d.v.on)
	}
	d.press("esc", "down", "down", "down", "down", "down")
	if got := rowsOf(d.lines())[8]; !strings.HasSuffix(got, "failed 4m ago: rank 3: ValueError: bad batch (train.py:20)") {
		t.Errorf("%q", got)
	}
	d.press("enter")
	for _, step := range []struct {
		key  string
		page keys.Page
		says string
	}{{"", keys.OnReport, "Report of job 48377_2"}, {"l", keys.OnLog, "Log of job 48377_2"},
		{"esc", keys.OnReport, "Report of job 48377_2"}, {"esc", keys.OnJobs, "Jobs"}} {
		d.press(strings.Fields(step.key)...)
		if text := strings.Join(d.lines(), "\n"); d.v.on != step.page || !strings.Contains(text, step.says) {
			t.Errorf("after %q: screen %s\n%s", step.key, d.v.on, text)
		}
	}
}

// A click selects a job, and opens the selected one. n goes from problem to problem, also to jobs that have failed.
func TestJobsMouse(t *testing.T) {
	d := jobsDesk(t, uitest.JobsFixture(), 120)
	click := func(y int) { d.send(tea.MouseClickMsg{X: 20, Y: y, Button: tea.MouseLeft}) }
	if click(5); d.v.job != "48377" || d.v.on != keys.OnJobs {
		t.Errorf("a click: job %s on screen %s", d.v.job, d.v.on)
	}
	if click(5); d.v.on != keys.OnNode {
		t.Errorf("another click: screen %s", d.v.on)
	}
	d.press("esc", "home", "]")
	if _, y := d.cursor(); !strings.Contains(d.lines()[y], "48377 ") {
		t.Errorf("] leads to %q", d.lines()[y])
	}
	d.press("home", "n")
	if _, y := d.cursor(); !strings.Contains(d.lines()[y], "48377_2") {
		t.Errorf("n leads to %q", d.lines()[y])
	}
	d.press("N")
	if _, y := d.cursor(); !strings.Contains(d.lines()[y], "48211") {
		t.Errorf("N leads to %q", d.lines()[y])
	}
}

func TestJobsFilter(t *testing.T) {
	d := jobsDesk(t, uitest.JobsFixture(), 120)
	d.press("/")
	for _, r := range "state=F" {
		d.press(string(r))
	}
	if got := idsOf(d.lines()); got != "48377_2 48377_8" {
		t.Errorf("while typing: %s", got)
	}
	d.press("enter")
	if lines := d.lines(); !strings.Contains(lines[2], `2 of 13 match "state=F"`) || idsOf(lines) != "48377_2 48377_8" {
		t.Errorf("then: %s, %s", lines[2], idsOf(lines))
	}
	d.press("esc")
	if got := len(rowsOf(d.lines())); got != 13 || d.v.on != keys.OnJobs {
		t.Errorf("Esc leaves %d rows on screen %s", got, d.v.on)
	}
}

// The page is there without a job that runs, too, and does not hide the page of a job that begins.
func TestJobsWithoutARunningJob(t *testing.T) {
	snap := uitest.NoJobsFixture()
	snap.Discovery.Ended = uitest.JobsFixture().Discovery.Ended
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.route = newRoute(ViewAuto) }}, 120, 40)
	d.press("1")
	if got := len(rowsOf(d.lines())); got != 9 {
		t.Fatalf("%d rows:\n%s", got, strings.Join(d.lines(), "\n"))
	}
	d.press("down", "enter", "m", "esc", "U")
	if text := strings.Join(d.lines(), "\n"); !strings.Contains(text, "no processes on the GPUs of your nodes") {
		t.Errorf("users:\n%s", text)
	}
	d.press("esc", "?")
	if text := strings.Join(d.lines(), "\n"); !strings.Contains(text, "│  jobs ") ||
		!strings.Contains(text, "open the job") || strings.Contains(text, "heat map") {
		t.Errorf("help:\n%s", text)
	}
	d.press("esc")
	*snap = *uitest.JobsFixture()
	d.v.resolveSelection(d.sc)
	if d.v.on != keys.OnJobs {
		t.Errorf("a job has begun: screen %s", d.v.on)
	}
	d.press("esc")
	if d.v.on != keys.OnOverview {
		t.Errorf("then Esc leads to screen %s", d.v.on)
	}
}

// U says who holds what, the user of the jobs first.
func TestUsersPage(t *testing.T) {
	d := newDesk(t, shot{snap: uitest.JobsFixture, view: func(*view) {}}, 159, 40)
	d.press("U")
	if !d.v.chosenPage().Wants(d.sc).Everywhere {
		t.Error("the page does not want the processes of all nodes")
	}
	got := rowsOf(d.lines())
	if len(got) < 2 || !strings.HasPrefix(got[0], "▸ alice 3 ") || !strings.Contains(strings.Join(got, "\n"),
		"\nbob ") {
		t.Errorf("users: %q", got)
	}
	names := func() (names []string) {
		for _, row := range rowsOf(d.lines()) {
			names = append(names, strings.Fields(strings.TrimPrefix(row, "▸"))[0])
		}
		return names
	}
	carols := uitest.JobsFixture()
	carols.Discovery.User = "carol"
	d.sc.Snap = carols
	d.v.resolveSelection(d.sc)
	d.press("s", "s", "s")
	if got := names(); got[0] != "carol" || !slices.IsSorted(got[1:]) || !strings.Contains(d.lines()[3], "USER↑") {
		t.Errorf("by name: %q below %s", got, d.lines()[3])
	}
	d.press("/", "b", "o", "b", "enter")
	if got := names(); !slices.Equal(got, []string{"bob"}) {
		t.Errorf("filtered: %q", got)
	}
}

// A key on the page of a thousand tasks is answered within a frame's time; the metric is what 99 of 100 keys take at
// most.
func BenchmarkJobs(b *testing.B) {
	for _, screen := range []string{"1", "U"} {
		b.Run(screen, func(b *testing.B) {
			snap := uitest.TasksFixture(1000)
			d := newDesk(nil, shot{snap: func() *cluster.Snapshot { return snap },
				view: func(v *view) { v.on = keys.OnOverview }}, 200, 50)
			d.press(screen)
			keys := []string{"down", "pgdown", "s", "end", "home", "n"}
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				if i%25 == 0 { // a new Snapshot every now and then, as on each tick
					next := *snap
					d.sc.Snap = &next
					d.v.resolveSelection(d.sc)
				}
				began := time.Now()
				d.press(keys[i%len(keys)])
				d.frame()
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
		})
	}
}

// All rows of an array of a thousand tasks can be reached, and the rest is counted.
func TestManyTasks(t *testing.T) {
	snap := uitest.TasksFixture(1000)
	d := newDesk(t, shot{snap: func() *cluster.Snapshot { return snap },
		view: func(v *view) { v.on = keys.OnOverview }}, 120, 40)
	d.press("1", "end")
	lines := d.lines()
	if _, y := d.cursor(); !strings.Contains(lines[y], "51000_999") ||
		!strings.Contains(lines[2], "967–1000 of 1000  PgUp") || !strings.Contains(lines[1], "1000 running") {
		t.Errorf("at the end:\n%s", strings.Join(lines, "\n"))
	}
	d.press("s")
	if got := rowsOf(d.lines())[0]; !strings.Contains(got, "51000_0 ") || !strings.Contains(got, "thermal") {
		t.Errorf("the worst is %q", got)
	}
	if d.press("end", "home", "down"); d.v.job != fmt.Sprint("51000_", 97) {
		t.Errorf("on job %s", d.v.job)
	}
}
