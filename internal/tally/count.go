package tally

import "slices"

// Counted is a thing with its number of occurrences.
type Counted[T comparable] struct {
	What  T
	Count int
}

// Count counts equal things, in the order of their first occurrences.
func Count[T comparable](things []T) []Counted[T] {
	var counts []Counted[T]
	for _, thing := range things {
		at := slices.IndexFunc(counts, func(c Counted[T]) bool { return c.What == thing })
		if at < 0 {
			at = len(counts)
			counts = append(counts, Counted[T]{What: thing})
		}
		counts[at].Count++
	}
	return counts
}
