package ui

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

func TestNaming(t *testing.T) {
	for _, test := range []struct {
		names string
		room  int
		title string
		want  string
	}{
		{"gpu-n01 gpu-n02", 3, "gpu-n", "01 02"},
		{"gpu-n01", 3, "", "g…1"},
		{"rack01-gpu-node-01 rack01-gpu-node-02 rack12-gpu-node-01", 6, "rack…-gpu-node-…", "01-01 01-02 12-01"},
		{"rack01-gpu-node-01 rack02-gpu-node-09", 3, "rack…-gpu-node-…", "1-1 2-9"},
		{"a1-x b1-x", 4, "", "a1-x b1-x"},
		{"alpha-node beta-node", 6, "", "alp…de bet…de"},
	} {
		names := strings.Fields(test.names)
		n := newNaming(names, test.room)
		var got []string
		for _, name := range names {
			got = append(got, n.of(name))
		}
		if strings.Join(got, " ") != test.want || n.title != test.title {
			t.Errorf("%q in %d columns: %q below %q, want %q below %q", names, test.room, got, n.title, test.want, test.title)
		}
	}
}

// racks is a job whose nodes' names have two numbers.
func racks() *cluster.Snapshot {
	s := fixture()
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

// Wherever a node's name is shortened it still is told from the others'.
func TestLongNamesAreToldApart(t *testing.T) {
	for _, g := range []grid{gridRows, gridMap} {
		for w := 40; w <= 200; w += 20 {
			s := shot{"racks", racks, func(v *view) { v.screen = screenOverview; v.grid = g }}
			text := string(plainTheme.Encode(nil, s.take(w, 30)))
			for _, ends := range [][2]string{{"1", "1"}, {"2", "1"}, {"1", "2"}, {"2", "2"}} {
				forms := regexp.MustCompile(`(^|[^\d])0?` + ends[0] + `(\S*-)0?` + ends[1] + `\s`)
				if !forms.MatchString(text) {
					t.Errorf("%d wide, grid %d: node %s of rack %s is not to be found:\n%s", w, g, ends[1], ends[0], text)
				}
			}
		}
	}
}
