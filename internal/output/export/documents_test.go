package export

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fill gives every field a value of its own.
func fill(v reflect.Value, n *int) {
	switch *n++; v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(string(rune('a'+*n%26)) + string(rune('a'+*n/26%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// filled has a value in every field.
func filled[T any]() *T {
	v, n := new(T), 0
	fill(reflect.ValueOf(v).Elem(), &n)
	return v
}

// The documents of programs have every value of those of the inside, under the same keys.
func TestDocumentsLoseNothing(t *testing.T) {
	verdict, process := filled[rankstacks.Verdict](), filled[wire.InspectedProcess]()
	verdict.Version = rankstacks.Version
	for name, tc := range map[string]struct{ inside, document any }{
		"stacks":              {verdict, Stacks(verdict)},
		"stacks, of nothing":  {&rankstacks.Verdict{Version: rankstacks.Version}, Stacks(&rankstacks.Verdict{})},
		"details":             {process, Details(process)},
		"details, of nothing": {&wire.InspectedProcess{}, Details(&wire.InspectedProcess{})},
	} {
		if diff := cmp.Diff(asJSON(t, tc.inside), asJSON(t, tc.document)); diff != "" {
			t.Errorf("%s (-inside +document):\n%s", name, diff)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
