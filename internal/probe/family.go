package probe

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxScan is the maximum number of processes scanned on a node.
const maxScan = 1 << 15

// Family finds the relatives of processes, including the processes themselves: all descendants, and the ancestors up to
// slurmstepd or else up to the parent of the session. truncated means that there are more.
func (d *processDesk) Family(f wire.Family) (list []wire.Relative, truncated bool, err error) {
	if len(f.PIDs) == 0 || len(f.PIDs) > wire.MaxTargets {
		return nil, false, fmt.Errorf("a family needs 1 to %d processes, not %d", wire.MaxTargets, len(f.PIDs))
	}
	all, more := d.scanProcesses()
	family := all.familyOf(f.PIDs)
	if len(family) > wire.MaxRelatives {
		family, more = family[:wire.MaxRelatives], true
	}
	list, cut := capFamily(d.describeFamily(family))
	sort.Slice(list, func(i, k int) bool { return list[i].PID < list[k].PID })
	return list, more || cut, nil
}

// processTree holds the processes of a node, by PID, with their children.
type processTree struct {
	at       map[int]proc.Stat
	children map[int][]int
}

// scanProcesses reads all processes of the node. It reads only files that never hang.
func (d *processDesk) scanProcesses() (all processTree, more bool) {
	all = processTree{map[int]proc.Stat{}, map[int][]int{}}
	pids := proc.All(d.mount)
	if len(pids) > maxScan {
		pids, more = pids[:maxScan], true
	}
	for _, pid := range pids {
		stat, err := proc.Of(d.mount, pid).Stat()
		if err != nil {
			continue // it has exited
		}
		all.at[pid] = stat
		all.children[stat.Parent] = append(all.children[stat.Parent], pid)
	}
	return all, more
}

// familyOf returns the family of processes, each process once: ancestors and the processes themselves first, then
// descendants, nearest first.
func (t processTree) familyOf(pids []int) (family []proc.Stat) {
	seen := map[int]bool{}
	add := func(pid int) {
		if stat, known := t.at[pid]; known && !seen[pid] {
			seen[pid] = true
			family = append(family, stat)
		}
	}
	for _, pid := range pids {
		if _, known := t.at[pid]; !known {
			continue
		}
		for _, above := range t.ancestorsOf(pid) {
			add(above)
		}
		add(pid)
	}
	looked := map[int]bool{}
	for generation := pids; len(generation) > 0 && len(family) <= wire.MaxRelatives; {
		var next []int
		for _, pid := range generation {
			if !looked[pid] {
				looked[pid] = true
				next = append(next, t.children[pid]...)
			}
		}
		for _, pid := range next {
			add(pid)
		}
		generation = next
	}
	return family
}

// ancestorsOf returns the ancestors of a process that matter to the user. In a job step these are its ancestors in the
// step, and slurmstepd, which started the step. Outside a step they are its ancestors in the session, and the parent of
// the session.
func (t processTree) ancestorsOf(pid int) (list []int) {
	session := -1
	for at := pid; len(list) < maxDepth; {
		stat := t.at[at]
		if _, known := t.at[stat.Parent]; !known || stat.Parent <= 1 {
			break
		}
		if at = stat.Parent; stat.PID == stat.Session && session < 0 {
			session = len(list) + 1
		}
		list = append(list, at)
		if t.at[at].Comm == "slurmstepd" {
			return list
		}
	}
	if session >= 0 {
		return list[:session]
	}
	return list
}

// describeFamily reads the descriptions of processes. If a reading hangs, that description and the commands of all
// later processes are left out.
func (d *processDesk) describeFamily(family []proc.Stat) []wire.Relative {
	list := make([]wire.Relative, len(family))
	for i, stat := range family {
		ticks, rss := stat.Ticks(), stat.RSS*uint64(os.Getpagesize())
		list[i] = wire.Relative{
			ProcessID: wire.ProcessID{PID: stat.PID, StartTicks: stat.Start}, Parent: stat.Parent, Name: stat.Comm,
			State:    stat.State,
			CPUTicks: &ticks, RSS: &rss, ElapsedSec: d.words.Elapsed(stat.Start),
		}
		if _, uid, exists := d.readStatus(stat.PID); exists {
			list[i].UID = &uid
		}
	}
	words := make([]struct{ user, command string }, len(list))
	users := map[int]string{}
	done, _ := d.callEach(len(list), func(i int) {
		args, _ := proc.Of(d.mount, family[i].PID).Arguments() // empty if it cannot be read
		words[i].command = d.words.Command(args)
		if uid := list[i].UID; uid != nil {
			if _, known := users[*uid]; !known {
				users[*uid] = d.words.User(*uid)
			}
			words[i].user = users[*uid]
		}
	})
	for i := range done {
		list[i].User, list[i].Command = words[i].user, words[i].command
	}
	return list
}

// capFamily returns the beginning of a family that takes at most wire.MaxFamily bytes of JSON.
func capFamily(list []wire.Relative) (kept []wire.Relative, more bool) {
	room := wire.MaxFamily
	for i := range list {
		text, err := json.Marshal(&list[i])
		if room -= len(text) + 1; err != nil || room < 0 {
			return list[:i], true
		}
	}
	return list, false
}
