package stacks

import (
	"fmt"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"slices"
	"strconv"
	"strings"
)

// named is the largest number of processes that are named one by one.
const named = 2

// Members names the processes: "rank 11 · gpu-n02 GPU3 · PID 360611", "ranks 0-10, 12-63".
func Members(ranks []*Rank) string {
	if len(ranks) == 1 {
		return ranks[0].Name(" · ")
	}
	numbers, others := numbersOf(ranks)
	var parts []string
	if n := len(ranks) - len(others); len(numbers) == 1 && n > 1 {
		parts = append(parts, fmt.Sprintf("%d processes of rank %d", n, numbers[0]))
	} else if len(numbers) == 1 {
		parts = append(parts, "rank "+text.Ranges(numbers))
	} else if len(numbers) > 0 {
		parts = append(parts, "ranks "+text.Ranges(numbers))
	}
	switch {
	case len(others) > named:
		parts = append(parts, fmt.Sprintf("%d processes without a rank", len(others)))
	default:
		for _, r := range others {
			parts = append(parts, r.Name(" "))
		}
	}
	return strings.Join(parts, ", ")
}

// numbersOf returns the numbers of ranks, each once and in order, and the processes without a number.
func numbersOf(ranks []*Rank) (numbers []int, others []*Rank) {
	for _, r := range ranks {
		if r.Number == NoRank {
			others = append(others, r)
		} else {
			numbers = append(numbers, r.Number)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), others
}

// Name names one process: its rank, node, GPUs and PID.
func (p *Place) Name(between string) string {
	var parts []string
	if p.Number != NoRank {
		parts = append(parts, "rank "+strconv.Itoa(p.Number))
	}
	place := p.Node
	if len(p.GPUs) > 0 {
		place += " GPU" + strings.ReplaceAll(text.Ranges(p.GPUs), ", ", ",")
	}
	if place != "" {
		parts = append(parts, strings.TrimSpace(place))
	}
	if p.PID != 0 {
		parts = append(parts, "PID "+strconv.Itoa(p.PID))
	}
	return strings.Join(parts, between)
}

// inShort names a process that was already named in full: "rank 11".
func (p *Place) inShort() string {
	if p.Number == NoRank {
		return p.Name(", ")
	}
	return "rank " + strconv.Itoa(p.Number)
}

// briefName names a process within a sentence: "rank 11 (gpu-n02 GPU3, PID 360611)".
func (p *Place) briefName() string {
	name := p.Name(", ")
	if p.Number == NoRank {
		return name
	}
	rank, rest, more := strings.Cut(name, ", ")
	if !more {
		return rank
	}
	return rank + " (" + rest + ")"
}
