package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/shapes"
)

// The table counts healthy and faulty shapes apart.
func TestTable(t *testing.T) {
	all := shapes.All()
	healthy, faulty := all[0], all[len(all)-1]
	alarm := shapes.Episode{Finding: cluster.Finding{Kind: "lag", Severity: cluster.Warning}, Say: "It lags."}
	var text strings.Builder
	table(&text, []shapes.Verdict{shapes.Judge(healthy, []shapes.Episode{alarm, alarm}), shapes.Judge(faulty, nil)}, true)
	for _, want := range []string{
		"healthy: 1 shapes, 2.0 job-hours, 32 GPU-hours: 2 false (2 lag)",
		fmt.Sprintf("faulty: 1 shapes, %d expected: 0 found, 0 late, %d missed; 0 false", len(faulty.Want),
			len(faulty.Want)),
		"0s to 0s  warning lag: It lags.",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}
