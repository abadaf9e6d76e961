package pace

// makeUsualAbsolute notes what is usual for each GPU, whatever the others do, if the GPUs are compared with others from
// now on; rebaseShares then makes shares of it again. It reports whether they are.
func (j *Job) makeUsualAbsolute(gpus []*GPU) bool {
	if j.grouped == j.across {
		return false
	}
	j.grouped = j.across
	for _, g := range gpus {
		of := j.GroupOf(g)
		if of == nil {
			g.Usual = noShares
			continue
		}
		for m := range Shares {
			g.Usual[m] *= of.UsualOthers(g, m)
		}
	}
	return true
}

// rebaseShares computes what is usual for a group, and the share of each GPU in it, from what is usual for each GPU.
func (j *Job) rebaseShares(g *Group) {
	for m := range Shares {
		column := j.columns[m][:0]
		for _, gpu := range g.GPUs {
			if v := gpu.Usual[m]; v == v {
				column = append(column, v)
			}
		}
		if j.columns[m] = column; len(column) == 0 {
			continue
		}
		g.usualLow[m], g.Usual[m] = bothMedians(column)
		for _, gpu := range g.GPUs {
			of := g.Usual[m]
			if gpu.Usual[m] >= of && m != Util && m != Clock {
				of = g.usualLow[m]
			}
			gpu.Usual[m] = shareOfMedian(gpu.Usual[m], of)
		}
	}
}
