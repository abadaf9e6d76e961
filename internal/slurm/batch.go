package slurm

import "iter"

// batches cuts items into runs whose lengths, with 3 characters between two, add up to at most limit. An item that is longer stands
// alone.
func batches(items []string, limit int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		start, size := 0, 0
		for i, item := range items {
			if i > start && size+len(item) > limit {
				if !yield(items[start:i]) {
					return
				}
				start, size = i, 0
			}
			size += len(item) + 3
		}
		if start < len(items) {
			yield(items[start:])
		}
	}
}
