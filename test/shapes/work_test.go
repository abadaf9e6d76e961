package shapes

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Each number of Work is in what the node reports.
func TestWorkIsReported(t *testing.T) {
	reports := func(w Work) (last string) {
		s := filled([]Shape{{Nodes: 2, Length: 30 * time.Second, Does: does(func(time.Duration, int) Work { return w })}})[0]
		Play(s, 1, func(s *cluster.Snapshot) {
			n := s.Nodes[nodeName(0)]
			last = fmt.Sprint(n.GPUs[0].Values, n.Host.Values)
		})
		return last
	}
	want := reports(train)
	if again := reports(train); again != want {
		t.Fatalf("the same work is reported as %s and as %s", want, again)
	}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Work]()) {
		w := train
		switch v := reflect.ValueOf(&w).Elem().Field(i); v.Kind() {
		case reflect.Float64:
			v.SetFloat(v.Float()/2 + 1)
		default:
			v.SetUint(wire.ThrottleHWSlowdown)
		}
		if reports(w) == want {
			t.Errorf("Work.%s is in no report: let Machine.sample or player.report read it", field.Name)
		}
	}
}

// A mix has each number of both works.
func TestMixHasEveryField(t *testing.T) {
	var a, b Work
	of := func(w *Work, i int) reflect.Value { return reflect.ValueOf(w).Elem().Field(i) }
	for i := range reflect.TypeFor[Work]().NumField() {
		if v := of(&a, i); v.Kind() == reflect.Float64 {
			v.SetFloat(float64(i + 1))
			of(&b, i).SetFloat(float64(3*i + 5))
		} else {
			v.SetUint(1)
			of(&b, i).SetUint(2)
		}
	}
	mixed := mix(a, b, 0.5)
	for i, field := range reflect.VisibleFields(reflect.TypeFor[Work]()) {
		v, mean := of(&mixed, i), float64(2*i+3)
		if v.Kind() == reflect.Float64 && v.Float() != mean || v.Kind() == reflect.Uint64 && v.Uint() != 3 {
			t.Errorf("Work.%s is %v in a mix: let mix take it from both works", field.Name, v)
		}
	}
}
