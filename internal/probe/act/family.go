package act

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxScan is the maximum number of processes scanned on a node.
const maxScan = 1 << 15

// Family finds the relatives of processes, including the processes themselves: the ancestors up to slurmstepd, else up
// to the parent of the session, and all descendants. truncated means that there are more.
func (d *Desk) Family(f wire.Family) (list []wire.Relative, truncated bool, err error) {
	if len(f.PIDs) == 0 || len(f.PIDs) > wire.MaxTargets {
		return nil, false, fmt.Errorf("a family needs 1 to %d processes, not %d", wire.MaxTargets, len(f.PIDs))
	}
	all, more := d.scan()
	family := all.of(f.PIDs)
	if len(family) > wire.MaxRelatives {
		family, more = family[:wire.MaxRelatives], true
	}
	list, cut := capped(d.describe(family))
	sort.Slice(list, func(i, k int) bool { return list[i].PID < list[k].PID })
	return list, more || cut, nil
}

// tree holds the processes of a node, by PID, with their children.
type tree struct {
	at       map[int]procfs.ProcStat
	children map[int][]int
}

// scan reads all processes of the node. It reads only files that never hang.
func (d *Desk) scan() (all tree, more bool) {
	all = tree{map[int]procfs.ProcStat{}, map[int][]int{}}
	procs, err := d.proc.AllProcs()
	if err != nil {
		return all, false // without /proc there are no processes
	}
	if len(procs) > maxScan {
		procs, more = procs[:maxScan], true
	}
	for _, p := range procs {
		stat, err := p.Stat()
		if err != nil {
			continue // it has exited
		}
		all.at[p.PID] = stat
		all.children[stat.PPID] = append(all.children[stat.PPID], p.PID)
	}
	return all, more
}

// of returns the family of processes, each process once: ancestors and the processes themselves first, then
// descendants, the nearest first.
func (t tree) of(pids []int) (family []procfs.ProcStat) {
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
		for _, above := range t.above(pid) {
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

// above returns the ancestors of a process that matter to the user: its ancestors in the job step, and slurmstepd,
// which started the step. Outside of a step: its ancestors in the session, and the parent of the session.
func (t tree) above(pid int) (list []int) {
	session := -1
	for at := pid; len(list) < maxDepth; {
		stat := t.at[at]
		if _, known := t.at[stat.PPID]; !known || stat.PPID <= 1 {
			break
		}
		if at = stat.PPID; stat.PID == stat.Session && session < 0 {
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

// describe reads the descriptions of processes. If a reading hangs, that description and the commands of all later
// processes are left out.
func (d *Desk) describe(family []procfs.ProcStat) []wire.Relative {
	list := make([]wire.Relative, len(family))
	for i, stat := range family {
		ticks, rss := uint64(stat.UTime)+uint64(stat.STime), uint64(max(stat.ResidentMemory(), 0))
		list[i] = wire.Relative{
			ProcessID: wire.ProcessID{PID: stat.PID, StartTicks: stat.Starttime}, Parent: stat.PPID, Name: stat.Comm,
			State:    stat.State,
			CPUTicks: &ticks, RSS: &rss, ElapsedSec: d.words.Elapsed(stat.Starttime),
		}
		if _, uid, exists := d.status(stat.PID); exists {
			list[i].UID = &uid
		}
	}
	words := make([]struct{ user, command string }, len(list))
	users := map[int]string{}
	done, _ := d.each(len(list), func(i int) {
		if proc, err := d.proc.Proc(family[i].PID); err == nil {
			args, _ := proc.CmdLine() // empty if it cannot be read
			words[i].command = d.words.Command(args)
		}
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

// capped returns the beginning of a family that takes at most wire.MaxFamily bytes of JSON.
func capped(list []wire.Relative) (kept []wire.Relative, more bool) {
	room := wire.MaxFamily
	for i := range list {
		text, err := json.Marshal(&list[i])
		if room -= len(text) + 1; err != nil || room < 0 {
			return list[:i], true
		}
	}
	return list, false
}
