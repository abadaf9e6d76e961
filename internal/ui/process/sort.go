package process

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// weighed is a row with what it is sorted by.
type weighed struct {
	weight float64
	at     int32
}

// sort puts the rows in order. What is not known comes last whatever the direction; equals stay in their place.
func (l *listing) sort(o order) {
	users := l.users(o.by)
	for i := range l.rows {
		weight, known := weightOf(&l.rows[i], o.by, users)
		switch {
		case o.by == table.ByPlace:
			weight, known = float64(i), true
		case !known:
			weight = math.Inf(1)
		}
		if o.down && known {
			weight = -weight
		}
		l.weighs = append(l.weighs, weighed{weight, int32(i)})
	}
	slices.SortFunc(l.weighs, compareWeighed)
	for _, w := range l.weighs {
		l.order = append(l.order, w.at)
	}
}

// compareWeighed is cmp.Compare without a thought of NaN: ten thousand rows are sorted within the time of a frame.
func compareWeighed(a, b weighed) int {
	switch {
	case a.weight < b.weight:
		return -1
	case a.weight > b.weight:
		return 1
	}
	return int(a.at - b.at)
}

// users are the places of the users in the order of their names, if the rows are sorted by user.
func (l *listing) users(by table.ProcessOrder) map[string]float64 {
	if by != table.ByUser {
		return nil
	}
	places := map[string]float64{}
	var names []string
	for i := range l.rows {
		if _, known := places[l.rows[i].User]; !known {
			places[l.rows[i].User] = 0
			names = append(names, l.rows[i].User)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		places[name] = float64(i)
	}
	return places
}

// weightOf is what a row is sorted by; false: it is not known.
func weightOf(r *table.ProcessRow, by table.ProcessOrder, users map[string]float64) (weight float64, known bool) {
	w := r.Process.Process
	switch by {
	case table.ByPID:
		return float64(w.PID), true
	case table.ByUser:
		return users[w.User], w.User != ""
	case table.ByProcessRank:
		if w.Rank == nil {
			return 0, false
		}
		return float64(w.Rank.Rank), true
	case table.ByGPUMemory:
		return number(w.GPUMemory)
	case table.ByProcessSM:
		return number(w.SMPercent)
	case table.ByMemRW:
		return number(w.MemPercent)
	case table.ByProcessCPU:
		return number(w.CPUPercent)
	case table.ByHostMemory:
		return tally.HostPercent(r.Node, w)
	case table.ByTime:
		return number(w.ElapsedSec)
	}
	return 0, false
}

func number[T int | int64 | uint64 | float64](v *T) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return float64(*v), true
}
