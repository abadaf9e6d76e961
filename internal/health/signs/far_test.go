package signs

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestIsElsewhere(t *testing.T) {
	h := &wire.Hello{NUMA: []wire.NUMANode{{ID: 0, CPUs: "0-3", Socket: 0}, {ID: 1, CPUs: "4-7", Socket: 0},
		{ID: 2, CPUs: "8-11,16-19", Socket: 1}}}
	for _, test := range []struct {
		cpus   string
		socket int
		want   bool
	}{
		{"8-11", 0, true}, {"8", 0, true}, {"16-19,9", 0, true}, {"0-7", 1, true}, {"4-5", 1, true},
		{"4-5", 0, false}, {"3-8", 0, false}, {"0-19", 1, false}, {"0-3,8", 1, false},
		{"", 0, false}, {"8-", 0, false}, {"8-11:2", 0, false}, {"11-8", 0, false}, {"8-11,x", 0, false},
		{"8-12", 0, false}, {"30", 0, false}, // CPUs of no NUMA node
	} {
		if got := isElsewhere(h, test.cpus, test.socket); got != test.want {
			t.Errorf("%q and socket %d: %v", test.cpus, test.socket, got)
		}
	}
}
