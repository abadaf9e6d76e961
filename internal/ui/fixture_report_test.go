package ui

import (
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// reports lets the page of the report have one.
func reports(r *report.Report, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		for _, ask := range v.report.Due().Ask {
			v.report.Press(nav.Result{Ask: ask, Report: r, Err: errors.Join(failed...)}, s)
		}
		v.resolveSelection(s)
	}
}
