package draw

import (
	"strings"
	"testing"
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
		n := NewNaming(names, test.room)
		var got []string
		for _, name := range names {
			got = append(got, n.Of(name))
		}
		if strings.Join(got, " ") != test.want || n.Title != test.title {
			t.Errorf("%q in %d columns: %q below %q, want %q below %q", names, test.room, got, n.Title, test.want,
				test.title)
		}
	}
}
