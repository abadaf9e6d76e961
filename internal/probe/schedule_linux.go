package probe

import "golang.org/x/sys/unix"

func setNice(tid, nice int) error { return unix.Setpriority(unix.PRIO_PROCESS, tid, nice) }

func setCPUs(tid int, cpus []int) error {
	var set unix.CPUSet
	for _, n := range cpus {
		set.Set(n)
	}
	return unix.SchedSetaffinity(tid, &set)
}
