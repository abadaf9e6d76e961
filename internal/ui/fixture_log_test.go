package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// readsLog lets the page of the log read one.
func readsLog(text string, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		uitest.ReadLog(v.log, s, text, failed...)
		v.resolveSelection(s)
	}
}
