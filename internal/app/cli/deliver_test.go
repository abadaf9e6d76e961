package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/output/report"
)

// The file keeps its content until there is a report. A file that cannot be written costs nothing.
func TestReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(path, bytes.Repeat([]byte("old\n"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := &report.Report{Job: report.Job{ID: "7"}, Nodes: []report.Node{{Name: "n1", Seen: 1}}}
	file, err := OpenReport(path)
	if err != nil {
		t.Fatal(err)
	}
	if old, _ := os.ReadFile(path); len(old) != 40_000 {
		t.Errorf("%d bytes are left of the old file", len(old))
	}
	if err := (&Streams{Out: out}).Report(file, "json", r); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); !json.Valid(text) {
		t.Errorf("wrote %q", text)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	var errs bytes.Buffer
	if err := (&Streams{Out: out, Err: &errs}).Report(full, "text", r); err == nil ||
		!strings.Contains(err.Error(), "write /dev/full: no space left") {
		t.Errorf("a full disk: %v", err)
	}
	if !strings.HasPrefix(errs.String(), "Job 7\n") {
		t.Errorf("standard error has %q", errs.String())
	}
	if err := (&Streams{Out: out}).Report(nil, "text",
		&report.Report{Job: report.Job{ID: "7"}, Nodes: []report.Node{{}}}); err == nil ||
		!strings.Contains(err.Error(), `no node of job "7" has reported`) {
		t.Errorf("a job that was never seen: %v", err)
	}
}
