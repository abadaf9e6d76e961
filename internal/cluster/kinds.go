package cluster

// SlowsJob reports whether a finding of this kind slows or stops the whole job: among equals, such a finding goes
// first.
func (k Kind) SlowsJob() bool {
	return k == KindLag || k == KindJobHang || k == KindJobIdle || k == KindRankGone
}

// StopsJob reports whether a finding of this kind says that the whole job hangs. What its ranks do then explains
// it.
func (k Kind) StopsJob() bool { return k == KindJobHang || k == KindJobIdle }
