package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The documents of the command decode into the types, and encode to the same text again.
func TestDecode(t *testing.T) {
	for path, into := range map[string]any{"report/testdata/report.json": &report.Report{},
		"track/testdata/documented.json": &report.Command{}} {
		text, err := os.ReadFile("../../internal/output/" + path)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		again, err := json.Marshal(into)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(members(t, text), members(t, again)); diff != "" {
			t.Errorf("%s read and written again (-want +got):\n%s", path, diff)
		}
	}
}

func members(t *testing.T, text []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPlace(t *testing.T) {
	for want, p := range map[string]report.Place{"n1": {Node: "n1"}, "n1 GPU0": {Node: "n1", GPU: new(int)},
		"n1 GPU-a": {Node: "n1", Key: "GPU-a"}} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q", p, got)
		}
	}
}
