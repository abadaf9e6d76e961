package ui

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/settings"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// optionValues are other values of the options that the scene has, one of each type.
var optionValues = []any{true, "from an option", 7 * time.Second, part.Levels{1, 2}, rows.ChosenColumns{Node: "gpu"}}

// A field of the scene that has the name of an option has its value, too.
func TestTheSceneHasTheOptions(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	for _, value := range optionValues {
		for _, field := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
			o := r.Options
			option := reflect.ValueOf(&o).Elem().FieldByIndex(field.Index)
			if option.Type() != reflect.TypeOf(value) {
				continue
			}
			option.Set(reflect.ValueOf(value))
			where := "newModel"
			if len(field.Index) > 1 {
				where = "resolveSelection, as a field of part.Look"
			}
			is := reflect.ValueOf(newModel(o, &r.out).scene).Elem().FieldByName(field.Name)
			if is.IsValid() && is.Interface() != value {
				t.Errorf("part.Scene.%[1]s is %[2]v, and ui.Options.%[1]s %[3]v: fill it in %[4]s",
					field.Name, is, value, where)
			}
		}
	}
}

// What the user changes on the page of settings is in the scene.
func TestTheSceneHasTheChoices(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings.Choices]()) {
		if field.Anonymous {
			continue
		}
		if !slices.ContainsFunc(optionValues, func(v any) bool { return field.Type == reflect.TypeOf(v) }) {
			t.Errorf("settings.Choices.%s is a %s: give optionValues one", field.Name, field.Type)
		}
		for _, value := range optionValues {
			if field.Type != reflect.TypeOf(value) {
				continue
			}
			r := newRig(t, uitest.Fixture())
			r.send(f2)
			reflect.ValueOf(&r.view.settings.Now).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value))
			r.press("down")
			is := reflect.ValueOf(r.scene).Elem().FieldByName(field.Name)
			if is.IsValid() && is.Interface() != value {
				t.Errorf("part.Scene.%[1]s is %[2]v, and settings.Choices.%[1]s %[3]v: make it a field of part.Look",
					field.Name, is, value)
			}
		}
	}
}
