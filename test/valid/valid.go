// Package valid checks JSON documents against their JSON Schemas, in tests.
package valid

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Document checks a document against a schema, formats included, and returns it decoded; nil if it is a list.
func Document(t testing.TB, schema, document []byte) map[string]any {
	t.Helper()
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", rules); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("%v in\n%s", err, document)
	}
	if err := c.MustCompile("schema.json").Validate(doc); err != nil {
		t.Errorf("the document does not match its schema: %v", err)
	}
	object, _ := doc.(map[string]any)
	return object
}
