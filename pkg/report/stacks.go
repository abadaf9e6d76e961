package report

import "time"

// Stacks is what the ranks of the job did when they were asked (nvnodetop stacks). A recording without names has no
// sentences and no summaries.
type Stacks struct {
	Time  time.Time `json:"time"`
	State string    `json:"state"`          // moving, stuck, or unclear
	Said  []string  `json:"said,omitempty"` // the result in sentences, for people, the most important first
	NCCL  []string  `json:"nccl,omitempty"` // likewise: what the job's own NCCL library said
	Asked int       `json:"asked"`          // processes of the job on its GPUs
	Read  int       `json:"read"`           // processes whose place in the program is known
	// the largest groups of ranks with equal stacks, and those that were elsewhere; largest first
	Groups []StackGroup `json:"groups"`
	Others int          `json:"other_groups,omitempty"` // groups that are left out
}

// StackGroup is a group of ranks with equal stacks.
type StackGroup struct {
	Ranks   int    `json:"ranks"`
	Members string `json:"members,omitempty"` // in a few words
	Summary string `json:"summary,omitempty"` // the stack in one line
	Outlier bool   `json:"outlier"`           // few were there, while most of the job was elsewhere
}
