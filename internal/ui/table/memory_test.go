package table

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The columns of the memory say how full it was, of how much, and when it will be full.
func TestMemoryOfRanks(t *testing.T) {
	for _, test := range []struct {
		name    string
		minutes int
		grown   float64 // GiB in the time
		kin     bool
		want    string
	}{
		{"grows evenly", 60, 20, false, "93 16m 74.7/80.0"}, {"stays", 60, 0, false, "68 – 55.0/80.0"},
		{"not watched", 0, 0, false, "n/a n/a n/a"}, {"a relative", 60, 20, true, "– – –"},
	} {
		g := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
		g.Values.Set(metric.MemoryTotal, 80<<30)
		for m := range test.minutes {
			used := (55 + test.grown*float64(m)/float64(test.minutes)) * (1 << 30)
			g.Memory = g.Memory.Add(time.Unix(int64(m)*60, 0), used)
		}
		f := &part.Frame{Canvas: draw.New(40, 1), Scene: &part.Scene{Size: part.Size{W: 40, H: 1}}}
		l := Layout{colPeakOf: {X: 0, W: 5}, colFullIn: {X: 7, W: 7}, colPeak: {X: 16, W: 9}}
		writeMemory(f, 0, &rows.Process{GPU: g}, l, draw.Text, test.kin)
		line := string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas))
		if got := strings.Join(strings.Fields(line), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
