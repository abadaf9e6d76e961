package export

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The document has each number of a process, under the key that it has in lists and filters.
func TestNumbersOfAProcess(t *testing.T) {
	p := wire.Process{}
	v := reflect.ValueOf(&p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
			f.Elem().Set(reflect.ValueOf(10 + i).Convert(f.Type().Elem()))
		}
	}
	text, err := json.Marshal(newProcess(&cluster.Node{}, &cluster.GPU{GPU: &wire.GPU{}}, &p))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	for _, f := range wire.Numbers() {
		if want, known := f.Number(&p); !known || members[f.Key] != want {
			t.Errorf("%s is %v in the document, want %v", f.Key, members[f.Key], want)
		}
	}
}
