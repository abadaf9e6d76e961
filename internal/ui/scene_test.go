package ui

import (
	"reflect"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
)

// A field of the scene that has the name of an option has its value, too.
func TestTheSceneHasTheOptions(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	values := []any{true, "from an option", 7 * time.Second}
	for _, value := range values {
		for field := range reflect.TypeFor[Options]().Fields() {
			o := r.Options
			option := reflect.ValueOf(&o).Elem().FieldByName(field.Name)
			if option.Type() != reflect.TypeOf(value) {
				continue
			}
			option.Set(reflect.ValueOf(value))
			is := reflect.ValueOf(newModel(o, &r.out).scene).Elem().FieldByName(field.Name)
			if is.IsValid() && is.Interface() != value {
				t.Errorf("part.Scene.%[1]s is %[2]v, and ui.Options.%[1]s %[3]v: fill it in newModel", field.Name, is, value)
			}
		}
	}
}
