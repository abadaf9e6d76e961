package pace

// makeUsualAbsolute turns the usual values of each GPU into absolute ones, if from now on the GPUs are compared with
// other GPUs; rebaseShares then makes shares of them again. It reports whether it did.
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

// rebaseShares computes the usual values of a group, and each GPU's usual share in it, from the usual values of each
// GPU.
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
