package lookback

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// For few GPUs a Snapshot is kept every ten seconds, and every thirty of the older past; for more GPUs fewer are, and
// for very many none, which a notice says.
func TestTheSizeOfThePast(t *testing.T) {
	for _, test := range []struct{ gpus, want int }{{8, 33}, {64, 33}, {128, 17}, {512, 5}, {513, 0}, {8000, 0}} {
		var p Past
		nodes := map[string]*cluster.Node{"gpu-n01": {GPUs: make([]cluster.GPU, test.gpus-1)},
			"gpu-n02": {GPUs: make([]cluster.GPU, 1)}}
		for at := range 1800 {
			p.Keep(&cluster.Snapshot{At: time.Unix(1000, 0).Add(time.Duration(at) * time.Second), Nodes: nodes})
		}
		if got := len(p.kept); got > test.want || got < test.want-2 || test.want > 0 && got == 0 {
			t.Errorf("%d GPUs: %d Snapshots, want %d", test.gpus, got, test.want)
		}
		if said := p.whyNoEarlier(); strings.Contains(said, "Ctrl-K") != (test.want == 0) {
			t.Errorf("%d GPUs: %s", test.gpus, said)
		}
		if test.want > 0 && p.now.At.Sub(p.kept[0].At) < 8*time.Minute {
			t.Errorf("%d GPUs: the past is only %v long", test.gpus, p.now.At.Sub(p.kept[0].At))
		}
	}
}

// A step that would lead beyond an end leads to it, and says so at once.
func TestTheEndsOfThePast(t *testing.T) {
	var p Past
	for at := range 41 {
		p.Keep(&cluster.Snapshot{At: time.Unix(1000, 0).Add(time.Duration(at) * time.Second)})
	}
	for _, step := range []struct {
		by   time.Duration
		ago  time.Duration
		says string
	}{
		{-1, 10 * time.Second, ""}, {-time.Minute, 40 * time.Second, "this is the oldest: 40s"},
		{-1, 40 * time.Second, "this is the oldest: 40s"}, {+1, 30 * time.Second, ""},
		{+time.Minute, 0, "the screen is live"}, {+1, 0, "the screen is live"},
	} {
		said := p.Step(step.by)
		if _, ago := p.Shown(); ago != step.ago || !strings.HasPrefix(said, step.says) || said != "" != (step.says != "") {
			t.Errorf("a step by %v leads %v back, and says %q", step.by, ago, said)
		}
	}
}
