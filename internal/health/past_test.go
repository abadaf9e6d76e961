package health

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ranked are processes of one program with a rank for each GPU, unless they all have the same.
func ranked(gpus int, same bool) func(time.Duration, int) []wire.Process {
	return func(_ time.Duration, node int) []wire.Process {
		var list []wire.Process
		for g := range gpus {
			rank := node*gpus + g
			if same {
				rank = node
			}
			list = append(list, wire.Process{PID: 1000 + g, GPU: g,
				Identity: wire.Identity{Rank: &wire.Rank{Rank: rank, World: new(2 * gpus)}}})
		}
		return list
	}
}

// A job whose steps take longer than before is told with what has changed, unless it may have less to do.
func TestStepsSlower(t *testing.T) {
	waiting := work{util: 99, memory: 25, power: 410, clock: 1700, link: 22.7e9, used: 70}
	starved := work{util: 60, memory: 34, power: 420, clock: 1760, link: 31e9, used: 70}
	clocked := work{util: 98, memory: 41, power: 430, clock: 1240, link: 37.5e9, used: 70}
	for name, tc := range map[string]struct {
		then work
		runs func(time.Duration, int) []wire.Process
		want string // begins the sentence
		hint string
	}{
		"the network":       {waiting, ranked(4, false), "Steps have taken about 2.2 times as long since 18:2", "a slow link"},
		"the storage":       {starved, ranked(4, false), "Steps have taken about 1.6 times as long since 18:2", "the data loaders"},
		"the power":         {clocked, nil, "Steps have taken about 1.3 times as long since 18:2", "all GPUs clock lower"},
		"perhaps no input":  {starved, nil, "", ""},
		"the same for all":  {starved, ranked(4, true), "", ""},
		"as fast as before": {trains, ranked(4, false), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trace{nodes: 2, gpus: 4, age: traceAge, does: until(trains, tc.then, 20*time.Minute), processes: tc.runs}
			all := tr.play(t, 30*time.Minute)
			if tc.want == "" && len(all) == 0 {
				return
			}
			if len(all) != 1 || all[0].Kind != cluster.KindStepSlower || all[0].Severity != cluster.Note ||
				tc.want == "" || !strings.HasPrefix(all[0].words.Sentence, tc.want) ||
				!strings.Contains(all[0].words.Hint, tc.hint) {
				t.Errorf("%v", all)
			}
			for _, f := range all {
				t.Log(f.words.Sentence, f.words.Hint)
			}
		})
	}
}

// A standstill that is over is told with its length, and the longest before.
func TestStoodStill(t *testing.T) {
	tr := trace{nodes: 2, gpus: 4, age: traceAge, processes: ranked(4, false),
		does: pausing(always(trains), func(time.Duration, int, int) work { return rests }, 110*time.Second, 61*time.Minute)}
	var told *found
	for _, f := range tr.play(t, 65*time.Minute) {
		if f.Kind == cluster.KindStalled {
			told = &f
		}
	}
	if told == nil || told.Severity != cluster.Note ||
		!strings.HasPrefix(told.words.Sentence, "All GPUs were stuck for 10") {
		t.Errorf("%v", told)
	}
}
