package report

import (
	"io"
	"time"
)

// Names are the names of Formats.
var Names = []string{"text", "json", "markdown"}

// Formats write a report, by name. Times are those of this host.
var Formats = map[string]func(io.Writer, *Report) error{
	"text":     func(w io.Writer, r *Report) error { return Text(w, r, time.Local) },
	"json":     JSON,
	"markdown": func(w io.Writer, r *Report) error { return Markdown(w, r, time.Local) },
}
