package config

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Each setting changes its own field, and no other. The values are those that every later version must understand.
func TestEachSettingHasItsField(t *testing.T) {
	files, err := filepath.Glob("../../test/promises/*/config.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no file with every setting", err)
	}
	var o Origins
	all, err := o.readSettings(slices.Max(files))
	if err != nil {
		t.Fatal(err)
	}
	all.values["admins"] = []any{"alice"} // only the system's file has it
	usual := Default()
	before := usual.Values(&o)
	for i := range settings {
		values := []any{all.values[settings[i].key]}
		for _, word := range settings[i].among {
			values = append(values, word)
		}
		changed := false
		for _, value := range values {
			c := Default()
			if !settings[i].take(&c, value) {
				t.Errorf("%s does not take %v", settings[i].key, value)
			}
			for at, is := range c.Values(&o) {
				changed = changed || at == i && is != before[at]
				if at != i && is != before[at] {
					t.Errorf("%s = %v changes %s, too: both rows of settings have the same field", settings[i].key, value, is.Key)
				}
			}
		}
		if !changed {
			t.Errorf("%s shows %q, whatever its value is: its take and its show have different fields, or %v is the default",
				settings[i].key, before[i].Value, values)
		}
	}
}

// A setting that is one of a few words has one from the beginning. Only without colors the remembered choice counts.
func TestTheDefaultIsAWord(t *testing.T) {
	c := Default()
	for i, is := range c.Values(&Origins{}) {
		s := &settings[i]
		word, err := strconv.Unquote(is.Value)
		if s.among == nil || s.key == "colors" && word == "" {
			continue
		}
		if err != nil || !slices.Contains(s.among, word) {
			t.Errorf("%s is %s by default, and may be %s: set its field in Default (config.go)", s.key, is.Value,
				s.want)
		}
	}
}
