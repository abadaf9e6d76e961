package jobs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Name names a row.
func (r *Row) Name() string { return fmt.Sprintf("%s: %s %s", r.Kind, r.How, r.Does) }

// Found is what a verdict has of what is true of a job.
type Found struct {
	State  bool // the state is one that a job of this kind may have
	Rank   bool // the rank, and only it, is named
	Frame  bool // it is seen where it is
	Reason bool // the reason is named

	row *Row
	d   *schema.Stacks
}

// Judge compares a verdict with what is true of the job.
func (r *Row) Judge(d *schema.Stacks) Found {
	f := Found{row: r, d: d, Rank: true, Frame: true, Reason: true}
	f.State = slices.Contains(r.Kind.states(), d.State)
	if r.Kind == Works && d.State == schema.StacksMoving {
		return f
	}
	said := strings.Join(d.Said, " ")
	if len(r.Who) == 1 && r.Kind != Works {
		f.Rank = strings.Contains(said, "ank "+r.Who)
	}
	if r.Frame != "" {
		f.Frame = slices.ContainsFunc(d.Groups, func(g schema.StackGroup) bool {
			return (r.Who == "" || r.Who == "all" || has(&g, r.Who)) && isAt(&g, r.Frame)
		})
	}
	for _, words := range r.Says {
		f.Reason = f.Reason && strings.Contains(said, words)
	}
	return f
}

// states are the states that a job may have.
func (k Kind) states() []schema.StackState {
	switch k {
	case Works:
		return []schema.StackState{schema.StacksMoving, schema.StacksUnclear}
	case Busy:
		return []schema.StackState{schema.StacksUnclear, schema.StacksMoving}
	}
	return []schema.StackState{schema.StacksStuck}
}

func has(g *schema.StackGroup, rank string) bool {
	return slices.ContainsFunc(g.Ranks, func(r schema.StackRank) bool {
		return r.Rank != nil && fmt.Sprint(*r.Rank) == rank
	})
}

func isAt(g *schema.StackGroup, function string) bool {
	return slices.ContainsFunc(g.Frames, func(f schema.StackFrame) bool { return f.Function == function })
}

// String says what is right and what is not: "state, rank, no reason".
func (f Found) String() string {
	var parts []string
	for _, p := range []struct {
		name string
		is   bool
	}{{"state", f.State}, {"rank", f.Rank}, {"frame", f.Frame}, {"reason", f.Reason}} {
		if !p.is {
			p.name = "no " + p.name
		}
		parts = append(parts, p.name)
	}
	return strings.Join(parts, ", ")
}

// Wrong says what must not be; "": nothing. The reason is only counted.
func (f Found) Wrong() string {
	switch {
	case !f.State:
		return fmt.Sprintf("the state is %s, want one of %v", f.d.State, f.row.Kind.states())
	case !f.Rank:
		return fmt.Sprintf("rank %s is not named", f.row.Who)
	case !f.Frame:
		return fmt.Sprintf("rank %s is not seen in %s", f.row.Who, f.row.Frame)
	}
	return ""
}
