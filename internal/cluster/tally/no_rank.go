package tally

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// WhyNoRank is the reason why the rank of a process is not known, from its NoRank; "" for "".
func WhyNoRank(id string) string {
	switch id {
	case wire.NoRankOverwritten:
		return "the program has overwritten its environment, as setproctitle does; SPT_NOENV=1 keeps it"
	case wire.NoRankTooLong:
		return "its environment is too long to be read"
	case wire.NoRankUnreadable:
		return "the kernel keeps its environment private"
	}
	return id
}

// Unranked is the number of processes whose rank is unknown, and one reason for it.
type Unranked struct {
	Count int
	Why   string // "": there are none
}

// CountUnranked counts the processes by the reason why their ranks are unknown, and returns the most frequent reason.
func CountUnranked(ids func(yield func(id string) bool)) (most Unranked) {
	count := map[string]int{}
	for id := range ids {
		if count[id]++; id != "" && count[id] > most.Count {
			most = Unranked{count[id], WhyNoRank(id)}
		}
	}
	return most
}

// String says in a sentence what is not known about them; "" if there are none.
func (u Unranked) String() string {
	switch u.Count {
	case 0:
		return ""
	case 1:
		return "The rank of 1 process is not known: " + u.Why + "."
	}
	return "The ranks of " + strconv.Itoa(u.Count) + " processes are not known: " + u.Why + "."
}
