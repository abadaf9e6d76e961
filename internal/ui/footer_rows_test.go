package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The footer of a list offers Enter exactly where it does something with the row under the cursor: it leads to another
// page or another view, or says why it does not.
func TestTheFooterKnowsTheRow(t *testing.T) {
	for name, of := range map[string]struct {
		snap func() *cluster.Snapshot
		keys string
	}{
		"jobs": {uitest.JobsFixture, "1"}, "overview": {uitest.Fixture, "2"}, "processes": {uitest.Fixture, "5"}, "ranks": {uitest.Fixture, "6"},
		"problems": {uitest.Fixture, "7"}, "users": {uitest.Fixture, "8"},
		"no process": {uitest.Fixture, "5/nosuch\r"}, "no job": {uitest.JobsFixture, "1/nosuch\r"},
	} {
		offered := 0
		for row := range 40 {
			r := newRig(t, of.snap())
			for _, k := range typedKeys(of.keys) {
				if k.Text == "\r" {
					k = keys.Pressed("enter")
				}
				r.send(k)
			}
			r.press("home")
			for range row {
				r.press("down")
			}
			before := r.screen.String()
			lines := strings.Split(strings.TrimRight(before, "\n"), "\n")
			offers := strings.Contains(lines[len(lines)-1], " Enter ")
			r.press("enter")
			did := r.screen.String() != before
			if offers != did {
				t.Errorf("%s, row %d: the footer %q, and Enter does something: %t", name, row, lines[len(lines)-1], did)
			}
			if offers {
				offered++
			}
		}
		if (offered == 0) != strings.HasPrefix(name, "no ") {
			t.Errorf("%s: Enter is offered on %d rows", name, offered)
		}
	}
}
