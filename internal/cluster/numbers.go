package cluster

// mostSmall is the number of ranks for which a set of numbers has bits. It is limited because a hostile node may report
// any rank.
const mostSmall = 1 << 16

// rankSet is a set of ranks. A map of thousands of ranks would take longer than everything else.
type rankSet struct {
	small []uint64 // a bit for each rank below mostSmall, as many as needed
	other map[int]bool
}

// addRank adds a rank, and reports whether it is new.
func (n *rankSet) addRank(rank int) bool {
	if rank < 0 || rank >= mostSmall {
		if n.other == nil {
			n.other = map[int]bool{}
		}
		is := n.other[rank]
		n.other[rank] = true
		return !is
	}
	at, bit := rank/64, uint64(1)<<(rank%64)
	if more := at + 1 - len(n.small); more > 0 {
		n.small = append(n.small, make([]uint64, more)...)
	}
	is := n.small[at]&bit != 0
	n.small[at] |= bit
	return !is
}

// hasRank reports whether a rank is in the set.
func (n *rankSet) hasRank(rank int) bool {
	if rank < 0 || rank >= mostSmall {
		return n.other[rank]
	}
	at := rank / 64
	return at < len(n.small) && n.small[at]&(1<<(rank%64)) != 0
}
