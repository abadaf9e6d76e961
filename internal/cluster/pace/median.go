package pace

import "slices"

// shareOfMedian returns a number as a share of the median, NaN if one is unknown or the median is 0.
func shareOfMedian(v, median float32) float32 {
	if !(median > 0) {
		return unknown
	}
	return v / median
}

func isNearOne(share, within float32) bool { return share >= 1-within && share <= 1+within }

// fillColumns sorts the known numbers of a group into the columns.
func (j *Job) fillColumns(g *Group) {
	for m := range j.columns {
		j.columns[m] = slices.Grow(j.columns[m][:0], len(g.GPUs))
	}
	for _, gpu := range g.GPUs {
		for m, v := range gpu.Mean {
			if v == v {
				j.columns[m] = append(j.columns[m], v)
			}
		}
		if v := gpu.Used; v == v {
			j.columns[Measures] = append(j.columns[Measures], v)
		}
	}
}

// bothMedians returns the median of some numbers twice, or the two in the middle if their number is even; NaN if there
// are none. It changes their order.
func bothMedians(v []float32) (lower, higher float32) {
	if len(v) == 0 {
		return unknown, unknown
	}
	higher = nthSmallest(v, len(v)/2)
	if len(v)%2 == 1 {
		return higher, higher
	}
	return slices.Max(v[:len(v)/2]), higher
}

// nthSmallest returns the number that would be at position n if v were sorted. It changes the order.
func nthSmallest(v []float32, n int) float32 {
	for low, high := 0, len(v)-1; low < high; {
		pivot, i, k := guessNth(v[low:high+1], n-low), low, high
		for i <= k {
			for v[i] < pivot {
				i++
			}
			for v[k] > pivot {
				k--
			}
			if i <= k {
				v[i], v[k] = v[k], v[i]
				i, k = i+1, k-1
			}
		}
		switch {
		case n <= k:
			high = k
		case n >= i:
			low = i
		default:
			return v[n]
		}
	}
	return v[n]
}

// guessNth returns a number that is probably near the one at position n of sorted v. For a long list it uses a sample.
func guessNth(v []float32, n int) float32 {
	var sample [21]float32
	if len(v) < 20*len(sample) {
		return v[len(v)/2]
	}
	for i := range sample {
		sample[i] = v[i*len(v)/len(sample)]
	}
	slices.Sort(sample[:])
	return sample[n*len(sample)/len(v)]
}
