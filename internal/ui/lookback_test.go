package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// lived is a rig that has seen minutes of the cluster, a Snapshot each second.
func lived(t *testing.T, snap func() *cluster.Snapshot, d time.Duration) *rig {
	r := newRig(t, snap())
	for end := r.now.Add(d); r.now.Before(end); {
		r.now = r.now.Add(time.Second)
		r.snap = snap()
		r.snap.At = r.now
		r.Update(tick{r.chain})
	}
	r.send(tick{r.chain})
	return r
}

// footOf returns the last line of the screen.
func footOf(r *rig) string {
	lines := strings.Split(strings.TrimRight(r.text(), "\n"), "\n")
	return lines[len(lines)-1]
}

// The keys of a recording lead back through the last 12 minutes and on to now, on any page. New Snapshots do not move
// the screen.
func TestLookBack(t *testing.T) {
	t.Parallel()
	r := lived(t, uitest.Fixture, 15*time.Minute)
	live := r.now
	shows := func(step string, want time.Duration) {
		t.Helper()
		if got := live.Sub(r.scene.Snap.At); got != want {
			t.Errorf("%s: the screen is %v back, want %v", step, got, want)
		}
	}
	r.press("(")
	shows("(", 10*time.Second)
	r.press("{")
	shows("( {", 70*time.Second)
	if !strings.Contains(r.text(), " −1m10s  Esc: live") {
		t.Errorf("row 0 does not say how far back it is:\n%s", r.text())
	}
	r.now = r.now.Add(5 * time.Second)
	r.snap = uitest.Fixture()
	r.snap.At = r.now
	r.send(tick{r.chain})
	shows("5 s later", 70*time.Second)
	if !strings.Contains(r.text(), " −1m15s ") {
		t.Errorf("the age does not grow:\n%s", r.text())
	}
	for _, hint := range []string{"Esc live", "() past"} {
		if foot := footOf(r); !strings.Contains(foot, hint) {
			t.Errorf("the footer has no room for %q: give the keys that matter less a lower keep (places, in "+
				"internal/ui/footer): %s", hint, foot)
		}
	}
	r.press("4")
	if text, at := r.text(), r.scene.Snap.At.Format(time.TimeOnly); strings.Contains(text, " now") ||
		!strings.Contains(text, "until "+at) || strings.Count(text, at) < 3 {
		t.Errorf("the graphs do not end at %s:\n%s", at, text)
	}
	r.press("2", "v", "v")
	if text, at := r.text(), r.scene.Snap.At.Format(time.TimeOnly); strings.Contains(text, " now") ||
		strings.Count(text, at) < 2 {
		t.Errorf("the nodes over time do not end at %s:\n%s", at, text)
	}
	r.press("6")
	shows("on the page of ranks", 70*time.Second)
	r.press("}")
	shows("}", 10*time.Second)
	r.press("{", "{", "{", "{")
	shows("{{{{", 4*time.Minute+30*time.Second) // a minute each, to the next older one that is kept
	for range 20 {
		r.press("{")
	}
	if ago := live.Sub(r.scene.Snap.At); ago > 12*time.Minute || ago < 11*time.Minute {
		t.Errorf("the past begins %v back", ago)
	}
	if !strings.Contains(r.text(), "this is the oldest: ") {
		t.Errorf("nothing says where the past begins:\n%s", r.text())
	}
	r.press("esc")
	shows("Esc", -5*time.Second)
	if r.press(")"); !strings.Contains(r.text(), "there is nothing later") {
		t.Errorf("nothing says that the screen is live:\n%s", r.text())
	}
}

// Nothing is sent or asked while the screen shows the past, and the footer says why.
func TestNothingIsAskedInThePast(t *testing.T) {
	r := lived(t, uitest.Fixture, 2*time.Minute)
	r.press("5")
	r.press("(")
	refreshed, looks := r.heard.refreshed, len(r.heard.looks)
	r.press("r")
	if !strings.Contains(r.text(), inThePast) || r.heard.refreshed != refreshed {
		t.Errorf("r asks for data of now:\n%s", r.text())
	}
	if r.press("3"); len(r.heard.looks) != looks {
		t.Errorf("another page asks nodes for %v", r.heard.looks[looks:])
	}
	r.press("5")
	if r.press("T"); !strings.Contains(r.text(), "signals and scancel are off: "+inThePast) {
		t.Errorf("a signal can be sent:\n%s", r.text())
	}
	if r.press("esc", "T"); strings.Contains(r.text(), "signals and scancel are off") {
		t.Errorf("no signal can be sent any more:\n%s", r.text())
	}
}
