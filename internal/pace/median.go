package pace

// share returns a number as a share of the median, NaN if one is unknown or the median is 0.
func share(v, median float32) float32 {
	if !(median > 0) {
		return unknown
	}
	return v / median
}

func near(share, within float32) bool { return share >= 1-within && share <= 1+within }

// median returns the median of the known numbers, of an even number of them the higher one; NaN if there is none.
func (j *Job) median(g *Group, of func(*GPU) float32) float32 {
	j.values = j.values[:0]
	for _, gpu := range g.GPUs {
		if v := of(gpu); v == v {
			j.values = append(j.values, v)
		}
	}
	if len(j.values) == 0 {
		return unknown
	}
	return nth(j.values, len(j.values)/2)
}

// nth returns the number that would be at n if v were sorted. It changes the order.
func nth(v []float32, n int) float32 {
	for low, high := 0, len(v)-1; low < high; {
		pivot, i, k := v[(low+high)/2], low, high
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
