package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/pkg/nvnodetop/report"
)

// The document of the command decodes into the types, and encodes to the same again.
func TestDecode(t *testing.T) {
	text, err := os.ReadFile("../../../internal/report/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var r report.Report
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	e := json.NewEncoder(&again)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), again.String()); diff != "" {
		t.Errorf("read and written again (-want +got):\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	for want, p := range map[string]report.Place{"n1": {Node: "n1"}, "n1 GPU0": {Node: "n1", GPU: new(int)}, "n1 GPU-a": {Node: "n1", Key: "GPU-a"}} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q", p, got)
		}
	}
}
