package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// An alert stands in the footer until a key is pressed, and its bytes change nothing in the picture.
func TestAlert(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	before := r.text()
	if r.send(Alert{Sequence: "\a"}); r.text() != before {
		t.Error("the picture has changed")
	}
	if r.send(Alert{Notice: "a message was not delivered"}); !strings.Contains(r.text(), "a message was not delivered") {
		t.Errorf("it is not there:\n%s", r.text())
	}
	if r.press("down"); strings.Contains(r.text(), "a message was not delivered") {
		t.Error("it stays")
	}
}
