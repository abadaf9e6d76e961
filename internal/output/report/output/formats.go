// Package output writes reports: as text, JSON or Markdown. It is pure. It also puts the numbers of two reports side by
// side.
package output

import (
	"io"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Names are the names of Formats.
var Names = []string{"text", "json", "csv", "markdown"}

// Formats write a report, by name. Times are in the time zone of this host.
var Formats = map[string]func(io.Writer, *report.Report, TextFormat) error{
	"text":     func(w io.Writer, r *report.Report, look TextFormat) error { return Text(w, r, time.Local, look) },
	"json":     func(w io.Writer, r *report.Report, _ TextFormat) error { return JSON(w, r) },
	"csv":      func(w io.Writer, r *report.Report, _ TextFormat) error { return rowsCSV(w, []report.Row{rowOf(r)}) },
	"markdown": func(w io.Writer, r *report.Report, _ TextFormat) error { return Markdown(w, r, time.Local) },
}
