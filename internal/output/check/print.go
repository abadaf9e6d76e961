package check

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// JSON writes the report as a document, indented, with a newline at its end.
func JSON(w io.Writer, r *Report) error { return text.WriteJSON(w, "  ", r) }

// Text writes a line for each finding, the option that leaves nodes out, and a line about what was checked.
func Text(w io.Writer, r *Report) error {
	var out strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&out, "%s: %s: %s\n", f.Severity, f.where(), f.Text)
	}
	if len(r.Exclude) > 0 {
		fmt.Fprintf(&out, "--exclude=%s\n", strings.Join(r.Exclude, ","))
	}
	fmt.Fprintf(&out, "%s%s with %s: %s (%.1f s)\n", r.ofJobs(), text.Count(len(r.Nodes), "node"),
		text.Count(r.GPUs, "GPU"), r.sum(), r.Took)
	_, err := io.WriteString(w, out.String())
	return err
}

// where names the node, or GPUs of it: "node02 GPU0-3".
func (f *Finding) where() string {
	if len(f.GPUs) == 0 {
		return f.Node
	}
	return f.Node + " GPU" + strings.Join(text.Runs(f.GPUs), ",")
}

// ofJobs names the jobs: "job 48211: ". Nodes that the user named are of none.
func (r *Report) ofJobs() string {
	named := strings.Join(r.Jobs, ", ")
	switch {
	case named == "":
		return ""
	case len(r.Jobs) == 1:
		return "job " + named + ": "
	}
	return "jobs " + named + ": "
}

// sum says how many findings there are.
func (r *Report) sum() string {
	problems := 0
	for i := range r.Findings {
		if r.Findings[i].needsLook() {
			problems++
		}
	}
	notes := len(r.Findings) - problems
	switch {
	case problems == 0 && notes == 0:
		return "nothing found"
	case problems == 0:
		return "nothing wrong, " + text.Count(notes, "note")
	case notes == 0:
		return text.Count(problems, "problem")
	}
	return text.Count(problems, "problem") + ", " + text.Count(notes, "note")
}
