package shapes

import (
	"fmt"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// A slow GPU, however slow, is one finding: at the limit of a rule it does not begin again and again.
func TestOneFaultIsOneFinding(t *testing.T) {
	if raced.On { // TestShapes plays some with the race detector
		t.Skip("it takes a minute with the race detector")
	}
	var all []Shape
	for _, by := range []reason{clock, unseen, host} {
		for slow := 1.08; slow < 1.6; slow += 0.035 {
			all = append(all, Shape{Name: fmt.Sprintf("%.2fx by %d", slow, by), Does: atOnset(these(slow, by, 3))},
				Shape{Name: fmt.Sprintf("%.2fx by %d before", slow, by), Does: atFirst(these(slow, by, 3))})
		}
	}
	for memory := 48.0; memory < 60; memory += 2 {
		others := waits(0.33).with(func(w *Work) { w.Memory, w.Power = 36, 500 })
		all = append(all, Shape{Name: fmt.Sprintf("memory %.0f/36", memory),
			Does: only(train.with(func(w *Work) { w.Memory = memory }), others, 3)})
	}
	found := 0
	for _, s := range filled(all) {
		begun := 0
		for _, e := range Play(s, *seed) {
			if e.Kind == cluster.KindLag && e.Severity >= cluster.Warning {
				begun++
			}
		}
		if found += min(begun, 1); begun > 1 {
			t.Errorf("%s: %d findings", s.Name, begun)
		}
	}
	if found < len(all)/3 {
		t.Errorf("%d of %d faults found", found, len(all))
	}
}
