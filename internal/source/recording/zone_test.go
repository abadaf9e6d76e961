package recording

import (
	"reflect"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// A recording from a host with another zone has the times of this one.
func TestTimesAreLocal(t *testing.T) {
	zone := time.FixedZone("", int((9*time.Hour + 7*time.Minute).Seconds()))
	began := time.Date(2026, 11, 20, 18, 0, 0, 0, zone)
	c := encoder{}
	c.resetState()
	for _, e := range []cluster.Event{
		{At: began, Down: &cluster.Down{Retry: began}},
		{At: began, Stacks: &rankstacks.Verdict{Time: began}},
		{At: began, Discovery: &cluster.Discovery{Asked: began, Answered: began, Next: began,
			Jobs: []cluster.Job{{Start: began, End: began}}, Pending: []cluster.PendingJob{{Start: began}},
			Ended: []cluster.EndedJob{{Start: began, End: began, Missed: began}}}},
	} {
		line, err := c.encodeEvent(&e, false)
		if err != nil {
			t.Fatal(err)
		}
		d := decoder{}
		d.resetState(layoutOf(ours))
		got, _, err := d.decodeLine(line)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		each(reflect.ValueOf(got), func(v time.Time) {
			if found++; !v.IsZero() && (v.Location() != time.Local || !v.Equal(began)) {
				t.Errorf("%v in %s", v, line)
			}
		})
		if found < 2 {
			t.Errorf("%d times in %s", found, line)
		}
	}
}

// each calls a function with all times in a value.
func each(v reflect.Value, take func(time.Time)) {
	if t, is := v.Interface().(time.Time); is {
		take(t)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			each(v.Elem(), take)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				each(v.Field(i), take)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), take)
		}
	}
}
