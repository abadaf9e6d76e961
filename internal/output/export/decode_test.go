package export

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// TestTypesHaveTheDocument: the document decodes into the types of package schema, and encodes to the same again. It
// has every field.
func TestTypesHaveTheDocument(t *testing.T) {
	text, _ := export(t, full())
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var s schema.Snapshot
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	e := json.NewEncoder(&again)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(&s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), again.String()); diff != "" {
		t.Errorf("read and written again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Document(full()), &s, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("as read (-want +got):\n%s", diff)
	}
}
