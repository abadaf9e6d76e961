package jobs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Each row has a program, each is there once, and those that must not be called stuck come first.
func TestTable(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"working", "hung", "mpi", "dask_job", "notebook"} {
		source, err := os.ReadFile("programs/" + name + ".py")
		if err != nil {
			t.Fatal(err)
		}
		text.Write(source)
	}
	seen, works, fast := map[string]bool{}, 0, 0
	for i := range Table {
		r := &Table[i]
		if seen[r.Name()] {
			t.Errorf("%s is there twice", r.Name())
		}
		seen[r.Name()] = true
		program := regexp.MustCompile(`(?m)^def ` + r.Does + `\(|WHAT == "` + r.Does + `"|"` + r.Does + `"`)
		if r.Does != "idle" && !program.MatchString(text.String()) {
			t.Errorf("%s: no program does that", r.Name())
		}
		if r.Kind == Works {
			works++
		}
		if r.Fast {
			fast++
		}
	}
	if len(Table) < 50 || works < 20 || fast < 12 {
		t.Errorf("%d jobs, %d that work, %d for each change", len(Table), works, fast)
	}
}

// A verdict is judged by the state, the rank, where it is, and the reason; a job that moves may be anywhere.
func TestJudge(t *testing.T) {
	hung := Row{Does: "reads_shard", How: Manual, Kind: Hangs, Who: "3", Frame: "load", Says: []string{"shard"}}
	d := &schema.Stacks{State: schema.StacksStuck, Said: []string{"3 of 4 ranks are in all_reduce, rank 3 is in load."},
		Groups: []schema.StackGroup{{Ranks: []schema.StackRank{{Rank: new(3)}},
			Frames: []schema.StackFrame{{Function: "load"}}}}}
	works := Row{Does: "none", How: Manual, Kind: Works, Who: "3", Frame: "elsewhere"}
	moving := *d
	moving.State = schema.StacksMoving
	var got []string
	var s Score
	for _, f := range []Found{hung.Judge(d), hung.Judge(&moving), works.Judge(d), works.Judge(&moving)} {
		got = append(got, f.String()+": "+f.Wrong())
		s.Add(f)
	}
	if want := []string{"state, rank, frame, no reason: ",
		"no state, rank, frame, no reason: the state is moving, want one of [stuck]",
		"no state, rank, no frame, reason: the state is stuck, want one of [moving unclear]",
		"state, rank, frame, reason: "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := "works: 1 jobs, 2 verdicts: 1 (50 %) called stuck\nhangs: 1 jobs, 2 verdicts: 1 (50 %) called stuck, " +
		"right rank 2 (100 %), its frame 2 (100 %), the reason 0 (0 %)"; s.String() != want {
		t.Errorf("%q, want %q", s.String(), want)
	}
}
