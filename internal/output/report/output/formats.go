// Package output writes reports: as text, JSON or Markdown. It is pure.
package output

import (
	"io"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Names are the names of Formats.
var Names = []string{"text", "json", "csv", "markdown"}

// Formats write a report, by name. Times are in the time zone of this host.
var Formats = map[string]func(io.Writer, *report.Report, Look) error{
	"text":     func(w io.Writer, r *report.Report, look Look) error { return Text(w, r, time.Local, look) },
	"json":     func(w io.Writer, r *report.Report, _ Look) error { return JSON(w, r) },
	"csv":      func(w io.Writer, r *report.Report, _ Look) error { return rowsCSV(w, []report.Row{rowOf(r)}) },
	"markdown": func(w io.Writer, r *report.Report, _ Look) error { return Markdown(w, r, time.Local) },
}
