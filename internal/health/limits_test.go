package health

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// At the end of a hang no GPU is called idle: while it stood, the others had no work either.
func TestNoIdleAfterAHang(t *testing.T) {
	raced.Skip(t)
	const hangs, goesOn = 10 * time.Minute, 40 * time.Minute
	for name, stands := range map[string]func(node, gpu int) bool{
		"a GPU":  func(node, gpu int) bool { return node == 1 && gpu == 3 },
		"a node": func(node, _ int) bool { return node == 1 },
		"12":     func(node, gpu int) bool { return node == 1 || gpu > 3 },
	} {
		tr := trace{nodes: 2, gpus: 8, age: traceAge, does: func(at time.Duration, node, gpu int) work {
			late := time.Duration(8*node+gpu) * 4 * time.Second // they go on one after the other
			switch {
			case at < hangs || at >= goesOn+late:
				return trains
			case stands(node, gpu):
				return rests
			}
			return waits
		}}
		for _, f := range tr.play(t, goesOn+10*time.Minute) {
			if f.Kind != cluster.KindJobHang {
				t.Errorf("%s stands: found %v", name, f)
			}
		}
	}
}

// A hang names all GPUs that stopped first, and no rank where there are none.
func TestHangNamesAllThatStand(t *testing.T) {
	raced.Skip(t)
	const hangs = 5 * time.Minute
	for _, tc := range []struct {
		nodes  int
		stands func(node, gpu int) bool
		want   string
	}{
		{2, func(node, gpu int) bool { return node == 1 && gpu == 3 }, "; GPU3 on n02 has been idle since 18:04:57."},
		{2, func(node, _ int) bool { return node == 1 }, "; the 8 GPUs of n02 have been idle since 18:04:57."},
		{2, func(node, gpu int) bool { return node == 1 || gpu > 3 }, "; 12 GPUs on n01 and n02 have been idle since 18:04:57."},
		{1, func(_, gpu int) bool { return gpu > 3 }, "; 4 GPUs have been idle since 18:04:57."},
		{7, func(node, _ int) bool { return node > 0 },
			"; the 48 GPUs of n02, n03, n04 and 3 more nodes have been idle since 18:04:57."},
	} {
		tr := trace{nodes: tc.nodes, gpus: 8, age: traceAge, does: func(at time.Duration, node, gpu int) work {
			switch {
			case at < hangs:
				return trains
			case tc.stands(node, gpu):
				return rests
			}
			return waits
		}}
		found := tr.play(t, hangs+8*time.Minute)
		if len(found) != 1 || found[0].Kind != cluster.KindJobHang ||
			!strings.HasSuffix(found[0].words.Sentence, tc.want) || strings.Contains(found[0].words.Hint, "rank") {
			t.Errorf("found %v, want %q", found, tc.want)
		}
	}
}

// While the one rank that all wait for is seen at work, that is said, as a note until 15 minutes.
func TestWaitingForOneAtWork(t *testing.T) {
	raced.Skip(t)
	const waitsFrom = 5 * time.Minute
	tr := trace{nodes: 1, gpus: 8, age: traceAge,
		does: one(until(trains, waits, waitsFrom), until(trains, rests, waitsFrom), 0, 3),
		processes: func(at time.Duration, node int) []wire.Process {
			list := ranks(8, 9, 9)(at, node)
			list[3].IOWrite = new(uint64(4e8))
			return list
		}}
	found := tr.play(t, waitsFrom+18*time.Minute)
	if len(found) != 2 || found[0].Severity != cluster.Note || found[1].Severity != cluster.Warning ||
		found[1].at < waitsFrom+15*time.Minute || found[1].at > waitsFrom+16*time.Minute ||
		found[0].words.Sentence != "7 of 8 GPUs wait in a collective: GPU3 (rank 3, PID 1003) has been idle since 18:04:57; "+
			"its process or its node is at work." {
		t.Errorf("found %v", found)
	}
}
