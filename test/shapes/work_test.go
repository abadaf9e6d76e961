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
