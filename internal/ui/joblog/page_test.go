package joblog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rig is a page over a file in memory.
type rig struct {
	*Page
	t     *testing.T
	s     *part.Scene
	data  []byte
	err   error
	now   time.Time
	asked []joblog.Query
}

func newRig(t *testing.T, text string) *rig {
	r := &rig{Page: New(), t: t, data: []byte(text), now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	r.s = &part.Scene{Job: &cluster.JobView{Job: cluster.Job{ID: "7"}}}
	r.s.W, r.s.H = 80, top+1+5 // five rows
	return r
}

// enter opens the page.
func (r *rig) enter(to nav.Go) {
	notice := r.Arrive(r.s, to).Notice
	r.read(true)
	if notice != "" {
		r.t.Errorf("it says %q", notice)
	}
}

// read answers all questions that are due now.
func (r *rig) read(shown bool) (notice string) {
	for {
		due := r.Due(r.now, shown).Ask
		if len(due) == 0 {
			return notice
		}
		ask := due[0]
		if r.asked = append(r.asked, *ask.Log); len(r.asked) > 200 {
			r.t.Fatal("it does not stop asking")
		}
		if a := r.Press(nav.Result{Ask: ask, Log: r.piece(ask.Log), Err: r.err}, r.s); a.Notice != "" {
			notice = a.Notice
		}
	}
}

func (r *rig) piece(q *joblog.Query) joblog.Piece {
	size := int64(len(r.data))
	from := q.From
	if from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	return joblog.Piece{Path: "/o", At: r.now, LogPiece: wire.LogPiece{Size: size, From: from,
		Data: append([]byte{}, r.data[from:min(from+int64(q.Max), size)]...)}}
}

// write lets a second pass, in which the job writes.
func (r *rig) write(text string) {
	r.now = r.now.Add(time.Second)
	r.data = append(r.data, text...)
	r.read(true)
}

var named = map[string]tea.KeyPressMsg{"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "right": {Code: tea.KeyRight}}

func (r *rig) press(keys ...string) (notice string) {
	for _, k := range keys {
		msg, is := named[k]
		if !is {
			msg = tea.KeyPressMsg{Code: rune(k[0]), Text: k}
		}
		notice = r.Press(msg, r.s).Notice
		r.read(true)
	}
	return notice
}

// wants checks the lines on the screen.
func (r *rig) wants(after, want string) {
	r.t.Helper()
	lines := r.windowLines()
	w := r.visibleRows(r.s, lines)
	var got []string
	for _, l := range lines[w.From : w.From+w.Shown] {
		got = append(got, l.Text)
	}
	if strings.Join(got, " ") != want {
		r.t.Errorf("after %s: %q, want %q", after, got, want)
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

// From the end of the log n and N go to the line that says why the job has failed; from there on, and from elsewhere,
// to the lines around.
func TestTheCauseComesFirst(t *testing.T) {
	r := newRig(t, numbers(10)+"ValueError: bad\n"+strings.Repeat("RuntimeError: Connection closed by peer\nx\n", 9))
	r.enter(nav.Go{})
	for _, k := range []string{"n", "N"} {
		r.press("end", k)
		r.wants(k, "9 ValueError: bad RuntimeError: Connection closed by peer x RuntimeError: Connection closed by peer")
	}
	if said := r.press("N"); said != "no earlier line that matters" {
		t.Errorf("%q", said)
	}
	if r.press("n"); r.windowLines()[indexOf(r.windowLines(), r.match)].Text != "RuntimeError: Connection closed by peer" {
		t.Error("n stays")
	}
	r.press("end", "N", "home", "n")
	if r.windowLines()[indexOf(r.windowLines(), r.match)].Text != "ValueError: bad" {
		t.Error("n from the top does not go to the first line that matters")
	}
}

// The end of the log is followed until the user scrolls away, and again once he is back at the end.
func TestFollow(t *testing.T) {
	r := newRig(t, numbers(10))
	r.enter(nav.Go{})
	r.wants("opening", "5 6 7 8 9")
	r.write("10\n")
	r.wants("a line", "6 7 8 9 10")
	r.press("up", "up")
	r.write("11\n")
	r.wants("scrolling up", "4 5 6 7 8")
	r.press("pgup", "pgup")
	r.wants("paging up", "0 1 2 3 4")
	r.press("end")
	r.write("12\n")
	r.wants("the end", "8 9 10 11 12")
	r.press("home", "down")
	r.wants("the beginning", "1 2 3 4 5")
	r.press("pgdown", "pgdown", "pgdown", "down")
	r.write("13\n")
	r.wants("paging down", "9 10 11 12 13")
}

// Earlier lines are read when the user scrolls there, piece by piece, and Home and End jump.
func TestALargeLog(t *testing.T) {
	const n = 100_000
	r := newRig(t, numbers(n))
	r.enter(nav.Go{})
	if len(r.asked) != 1 {
		t.Errorf("%d questions at first", len(r.asked))
	}
	first := r.windowLines()[0].Text
	for i := 0; i < 99999 && r.windowLines()[0].Text == first; i++ {
		r.press("pgup")
	}
	if len(r.asked) != 2 {
		t.Errorf("%d questions when the beginning of the first piece is reached", len(r.asked))
	}
	r.press("home")
	r.wants("the beginning", "0 1 2 3 4")
	r.press("end")
	r.wants("the end", "99995 99996 99997 99998 99999")
}

func TestSearch(t *testing.T) {
	r := newRig(t, numbers(30)+"ValueError: x\n"+numbers(30))
	r.enter(nav.Go{})
	r.press("N")
	r.wants("the previous line that matters", "29 ValueError: x 0 1 2")
	if said := r.press("N"); said != "no earlier line that matters" {
		t.Errorf("it says %q", said)
	}
	r.press("end", "/", "1", "7", "enter")
	r.wants("a search", "16 17 18 19 20")
	r.press("N")
	r.wants("the match before", "16 17 18 19 20")
	if at := r.windowLines()[indexOf(r.windowLines(), r.match)]; at.Text != "17" || at.At > 100 {
		t.Errorf("on %+v", at)
	}
	if said := r.press("n", "n"); said != "no later match" {
		t.Errorf("it says %q", said)
	}
	r.press("esc", "N")
	r.wants("no search any more", "29 ValueError: x 0 1 2")
	if a := r.Press(named["esc"], r.s); a.Taken {
		t.Error("Esc does not lead back")
	}
	if r.press("/", "e", "R", "enter"); r.match != -1 {
		t.Error("a capital does not make the search strict")
	}
	if r.press("/", "esc", "/", "e", "r", "enter"); r.match < 0 {
		t.Error("a search in lower case is strict")
	}
}

// A search reads on towards the beginning.
func TestSearchInEarlierLines(t *testing.T) {
	r := newRig(t, "needle\n"+numbers(50_000))
	r.enter(nav.Go{})
	r.press("/", "e", "e")
	said := r.press("enter")
	for range 10 {
		if !strings.HasPrefix(said, "no earlier match in the ") {
			break
		}
		said = r.press("N")
	}
	r.wants("a search", "needle 0 1 2 3")
}

// A finding leads to the place that the log had reached then, wherever that is by now; else to lines with times.
func TestTheTimeOfAFinding(t *testing.T) {
	r := newRig(t, numbers(3))
	r.enter(nav.Go{})
	when := r.now.Add(1500 * time.Millisecond)
	r.write("a\n")
	r.write("b\n")
	for range 20 {
		r.write(strings.Repeat("filler\n", wire.MaxLog/10))
	}
	r.press("end")
	r.enter(nav.Go{At: when})
	r.wants("a finding", "b filler filler filler filler")
	r.press("end")
	r.Settle(&part.Scene{Job: &cluster.JobView{Job: cluster.Job{ID: "8"}}})
	r.enter(nav.Go{At: when}) // another job was shown
	r.wants("a finding of this job", "b filler filler filler filler")

	r = newRig(t, "x\n2026-11-20 11:00:00 a\n2026-11-20 11:30:00 b\n"+numbers(9))
	r.enter(nav.Go{At: r.now.Add(-45 * time.Minute)})
	r.wants("a finding from before", "2026-11-20 11:30:00 b 0 1 2 3")

	r = newRig(t, numbers(9))
	r.Arrive(r.s, nav.Go{At: r.now.Add(-time.Hour)})
	if said := r.read(true); !strings.HasPrefix(said, "nothing says where the log was at 11:00:00") {
		t.Errorf("it says %q", said)
	}
	r.wants("a finding without a place", "4 5 6 7 8")
}

// Nothing is read before the page was opened; off the screen seldom; and nothing while the user looks elsewhere in the
// log.
func TestNothingIsReadInVain(t *testing.T) {
	r := newRig(t, numbers(9))
	if r.read(false); len(r.asked) != 0 {
		t.Errorf("%d questions before", len(r.asked))
	}
	r.enter(nav.Go{})
	asks := func(shown bool) int {
		before := len(r.asked)
		for range 30 {
			r.now = r.now.Add(time.Second)
			r.read(shown)
		}
		return len(r.asked) - before
	}
	if on, off := asks(true), asks(false); on != 30 || off != 3 {
		t.Errorf("in 30 s %d questions on the screen, %d off it", on, off)
	}
	r.press("up")
	if n := asks(true); n != 0 {
		t.Errorf("%d questions while the user has scrolled away", n)
	}
	r.press("end")
	r.err = errors.New("node01 is \x1b[31mgone")
	if on, off := asks(true), asks(false); on != 30 || off != 0 || r.whyStale() != "node01 is gone" {
		t.Errorf("%d and %d questions while it fails, it says %q", on, off, r.whyStale())
	}
}

// The line to cite stays known when another job is shown. Both outputs count.
func TestCites(t *testing.T) {
	r := newRig(t, numbers(3))
	r.enter(nav.Go{})
	r.write("ValueError: bad\nsrun: error: task 1: Exited\n")
	if c := r.Cites()["7"]; c.Text != "ValueError: bad" || !c.When.Equal(r.now) {
		t.Errorf("cites %+v", c)
	}
	r.press("right") // the other output
	if q := r.asked[len(r.asked)-1]; q.Stream != joblog.Err {
		t.Errorf("asked for %+v", q)
	}
	r.Settle(&part.Scene{Job: &cluster.JobView{Job: cluster.Job{ID: "8"}}})
	if c := r.Cites(); c["7"].Text != "ValueError: bad" || len(c) != 1 {
		t.Errorf("cites %+v", c)
	}
	r.Leave()
	r.Forget()
	if len(r.Due(r.now, true).Ask) > 0 {
		t.Error("it asks without a job")
	}
}

// stamped is a log with a line a second from noon on.
func stamped(lines int) string {
	var b strings.Builder
	for i := range lines {
		at := time.Date(2026, 11, 20, 12, 0, i, 0, time.UTC)
		fmt.Fprintf(&b, "%s step %d\n", at.Format(time.DateTime), i)
	}
	return b.String()
}

// The time of a finding from before the log was followed is searched for in the whole of a large log, in few steps.
func TestTheTimeOfAnOldFinding(t *testing.T) {
	text := stamped(100_000) // 3 MB, a day
	end := text[len(text)-3000:]
	for name, test := range map[string]struct {
		text string
		at   time.Duration // after noon
		want string        // begins the first line on the screen
		said string
	}{
		"in the middle":    {text: text, at: 34_567 * time.Second, want: "2026-11-20 21:36:07 step 34567"},
		"near the start":   {text: text, at: 3 * time.Second, want: "2026-11-20 12:00:03 step 3"},
		"near the end":     {text: text, at: 99_900 * time.Second, want: "2026-11-21 15:45:00 step 99900"},
		"before the start": {text: text, at: -time.Hour, want: "2026-11-20 12:00:00 step 0"},
		"in a short log":   {text: stamped(9), at: -time.Hour, want: "2026-11-20 12:00:00 step 0"},
		"after the end": {text: text, at: 100_100 * time.Second, want: "2026-11-21 15:46:35 step 99995",
			said: "the log ends before 15:48:20"},
		"few times": {text: strings.Repeat("x\n", 200_000) + "2026-11-26 12:00:00 y\n", at: time.Hour,
			want: "x", said: "nothing says where the log was at 13:00:00: this is its end"},
		"a long line": {text: stamped(1000) + strings.Repeat("x", 1<<20) + "\n" + end, at: 990 * time.Second,
			want: "2026-11-20 12:16:30 step 990"},
	} {
		r := newRig(t, test.text)
		r.now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		said := r.Arrive(r.s, nav.Go{At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(test.at)}).Notice
		said += r.read(true)
		lines := r.windowLines()
		if got := lines[r.visibleRows(r.s, lines).From].Text; !strings.HasPrefix(got, test.want) || said != test.said {
			t.Errorf("%s: %.60q, says %q", name, got, said)
		}
		if len(r.asked) > mostSteps || r.hunt != (timeSearch{}) {
			t.Errorf("%s: %d questions, then %+v", name, len(r.asked), r.hunt)
		}
	}
}

// A place that a long line covers is shown as well as it can be.
func TestTheTimeOfAFindingInALongLine(t *testing.T) {
	r := newRig(t, numbers(3)+strings.Repeat("x", 3*wire.MaxLog))
	r.enter(nav.Go{})
	when := r.now.Add(time.Second / 2)
	r.write("x\nend\n" + numbers(60_000))
	r.press("end")
	if r.enter(nav.Go{At: when}); len(r.asked) > 9 || r.hunt != (timeSearch{}) {
		t.Errorf("%d questions, then %+v", len(r.asked), r.hunt)
	}
}

// The log of a job that ends on the screen stays there, and one that was named does, until the user selects another
// job or leaves.
func TestTheLogOfAnEndedJob(t *testing.T) {
	scene := func(selected string, running ...string) *part.Scene {
		s := &part.Scene{Snap: &cluster.Snapshot{}}
		s.W, s.H = 80, top+1+5
		for _, id := range running {
			s.Snap.Jobs = append(s.Snap.Jobs, cluster.JobView{Job: cluster.Job{ID: id}})
			if id == selected {
				s.Job = &cluster.JobView{Job: cluster.Job{ID: id}}
			}
		}
		s.Snap.Discovery.Ended = []cluster.EndedJob{{ID: "7", State: cluster.JobFailed}}
		return s
	}
	r := newRig(t, numbers(9))
	for i, step := range []struct {
		do   func()
		want string
	}{
		{func() { r.Arrive(scene("7", "7", "8"), nav.Go{}) }, "7"},
		{func() { r.Settle(scene("8", "8", "9")) }, "7"}, // it has ended
		{func() { r.Settle(scene("8", "8", "9")) }, "7"},
		{func() { r.Forget(); r.Settle(scene("")) }, "7"}, // and the last one, too
		{func() { r.Settle(scene("9", "9")) }, "7"},
		{func() { r.Settle(scene("9", "9", "10")) }, "7"},
		{func() { r.Settle(scene("10", "9", "10")) }, "10"}, // the user selects it
		{func() { r.Arrive(scene("10", "9", "10"), nav.Go{Log: "7"}) }, "7"},
		{func() { r.Settle(scene("10", "9", "10")) }, "7"},
		{func() { r.Leave(); r.Settle(scene("10", "9", "10")) }, "10"},
		{func() { r.Arrive(scene("10", "9", "10"), nav.Go{Log: "7"}); r.Arrive(scene("10", "10"), nav.Go{}) }, "10"},
		{func() { r.Arrive(scene(""), nav.Go{Log: "7"}) }, "7"},
	} {
		if step.do(); r.job != step.want || r.job == "7" && i > 0 && i < 6 && r.ended == nil {
			t.Fatalf("step %d: job %q, want %q", i, r.job, step.want)
		}
	}
	r.read(true)
	r.s = scene("")
	r.Settle(r.s)
	r.wants("the end", "4 5 6 7 8")
	if n := len(r.asked); r.ended == nil || r.ended.State != cluster.JobFailed {
		t.Errorf("%d questions, %+v", n, r.ended)
	}
}
