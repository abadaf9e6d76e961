package ui

import (
	"regexp"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// racks is a job whose nodes' names have two numbers.
func racks() *cluster.Snapshot {
	s := uitest.Fixture()
	job := &s.Jobs[0]
	for i, name := range job.Nodes {
		long := "rack0" + string(rune('1'+i%2)) + "-gpu-node-0" + string(rune('1'+i/2))
		s.Nodes[long] = s.Nodes[name]
		s.Nodes[long].Name, job.Nodes[i] = long, long
		for k := range job.Findings {
			if job.Findings[k].Node == name {
				job.Findings[k].Node = long
			}
		}
	}
	return s
}

// A shortened name of a node still differs from the other names.
func TestLongNamesAreToldApart(t *testing.T) {
	for _, g := range []overview.Grid{overview.GridRows, overview.GridMap} {
		for w := 40; w <= 200; w += 20 {
			s := shot{name: "racks", snap: racks,
				view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = g }}
			text := string(plainTheme.Encode(nil, s.take(w, 30)))
			for _, ends := range [][2]string{{"1", "1"}, {"2", "1"}, {"1", "2"}, {"2", "2"}} {
				forms := regexp.MustCompile(`(^|[^\d])0?` + ends[0] + `(\S*-)0?` + ends[1] + `\s`)
				if !forms.MatchString(text) {
					t.Errorf("%d wide, grid %d: node %s of rack %s is not to be found:\n%s", w, g, ends[1], ends[0],
						text)
				}
			}
		}
	}
}
