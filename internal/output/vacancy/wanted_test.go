package vacancy

import (
	"math"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// anything is a wish for all GPUs with at most 20 % of their memory in use.
func anything(change func(*Wish)) *Wish {
	nan := math.NaN()
	w := &Wish{Least: 1, Most: -1, MaxMemory: DefaultMemory, FreeMemory: nan, TotalMemory: nan, MaxUtil: nan,
		MaxMemUtil: nan}
	change(w)
	return w
}

const gib = 1 << 30

func TestChoose(t *testing.T) {
	s := node(
		card{memory: 80 << 10, used: 1 << 10, util: 5},
		// of 40 GiB she has 8
		card{memory: 80 << 10, used: 40 << 10, util: 90, processes: []wire.Process{byUser(1, "alice", "x", 1)}},
		card{memory: 40 << 10, used: 0, util: 30},
		card{memory: 80 << 10, used: 2 << 10, util: 5},
		card{memory: 80 << 10, lost: "GPU is lost"},
		card{memory: math.NaN(), used: math.NaN(), util: math.NaN()},
	)
	for name, test := range map[string]struct {
		change func(*Wish)
		want   string
	}{
		"nvgpu":             {func(*Wish) {}, "0,2,3,5"},
		"at most one":       {func(w *Wish) { w.Most = 1 }, "0"},
		"too few":           {func(w *Wish) { w.Least = 5 }, "none"},
		"none is enough":    {func(w *Wish) { w.Least, w.TotalMemory = 0, 100*gib }, ""},
		"half full":         {func(w *Wish) { w.MaxMemory = 50 }, "0,1,2,3,5"},
		"full":              {func(w *Wish) { w.MaxMemory = 49 }, "0,2,3,5"},
		"free memory":       {func(w *Wish) { w.MaxMemory, w.FreeMemory = math.NaN(), 40*gib }, "0,1,2,3"},
		"more free memory":  {func(w *Wish) { w.MaxMemory, w.FreeMemory = math.NaN(), 79*gib }, "0"},
		"about free memory": {func(w *Wish) { w.MaxMemory, w.FreeMemory, w.Tolerance = math.NaN(), 79*gib, 10 }, "0,3"},
		"size":              {func(w *Wish) { w.TotalMemory = 60 * gib }, "0,3"},
		"idle":              {func(w *Wish) { w.MaxUtil = 10 }, "0,3"},
		"nearly idle":       {func(w *Wish) { w.MaxUtil, w.Tolerance = 10, 20 }, "0,3,2"},
		"sorted":            {func(w *Wish) { w.Sort = true }, "0,3,2,5"},
		"a user's memory":   {func(w *Wish) { w.MaxMemory, w.AsFree = 40, []string{"alice"} }, "0,1,2,3,5"},
		"another user's":    {func(w *Wish) { w.MaxMemory, w.AsFree = 40, []string{"bob"} }, "0,2,3,5"},
		"visible, in that order": {func(w *Wish) { w.Inherited, w.Visible = true, strings.Split("3,gpu-00,1", ",") },
			"3,0"},
		"visible up to a break": {func(w *Wish) { w.Inherited, w.Visible = true, strings.Split("2,-1,0", ",") }, "2"},
		"named twice":           {func(w *Wish) { w.Inherited, w.Visible = true, strings.Split("2,0,2", ",") }, "none"},
		"none visible":          {func(w *Wish) { w.Inherited, w.Visible = true, []string{""} }, "none"},
	} {
		got := "none"
		if chosen := anything(test.change).Choose(&Nodes(s, false)[0]); chosen != nil {
			got = strings.Join(Names(chosen, false), ",")
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	n := Nodes(s, false)[0]
	if got := strings.Join(Names(anything(func(*Wish) {}).Choose(&n), true),
		","); got != "GPU-00,GPU-22,GPU-33,GPU-55" {
		t.Errorf("UUIDs: %s", got)
	}
	n.State = cluster.NodeStale
	if anything(func(*Wish) {}).Choose(&n) != nil {
		t.Error("GPUs of a node of which only old numbers are known")
	}
}

// CUDA sees either one MIG instance or GPUs; an instance is named by its UUID. Its GPU is not listed.
// A free GPU whose memory nobody knows may be what was wanted. One with a process is not free.
func TestUnmeasured(t *testing.T) {
	nan := math.NaN()
	s := node(card{memory: nan, used: nan}, card{memory: 100, used: nan}, card{memory: 100, used: 1},
		card{memory: nan, used: nan, lost: "GPU is lost"},
		card{memory: nan, used: nan, processes: []wire.Process{byUser(7, "bob", "train", 60)}})
	for name, test := range map[string]struct {
		change func(*Wish)
		want   string
	}{
		"nothing about memory": {func(*Wish) {}, ""},
		"free memory":          {func(w *Wish) { w.FreeMemory = 1 << 30 }, "0,1"},
		"size":                 {func(w *Wish) { w.TotalMemory = 1 << 30 }, "0"},
	} {
		wish := anything(test.change)
		if got := strings.Join(Names(wish.Unmeasured(&Nodes(s, false)[0]), false), ","); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestChooseInstances(t *testing.T) {
	split := []card{{memory: 100, used: 1, mig: true}, {memory: 50, used: 1, parent: "GPU-00"},
		{memory: 50, used: 0, parent: "GPU-00"}}
	for want, cards := range map[string][]card{"MIG-1": split, "3": append(split[:3:3], card{memory: 10})} {
		n := Nodes(node(cards...), false)[0]
		if got := strings.Join(Names(anything(func(*Wish) {}).Choose(&n), false), ","); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if n.GPUs[0].Index != "0:1" {
			t.Errorf("the instance is called %s", n.GPUs[0].Index)
		}
	}
}
