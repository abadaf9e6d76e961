package install

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// limitMark begins each line on stderr that states a limit of the session.
const limitMark = "nvnodetop-limit:"

// searchPath adds the usual directories to a PATH that a startup file may have spoiled.
const searchPath = "PATH=${PATH:+$PATH:}/usr/bin:/bin; export PATH; "

// printLimits prints the limits of the session: those of the kernel, and the memory limits of its cgroup and of the
// cgroups above. It runs only where a probe did not start, or may not start. GNU's sed writes to standard error by
// itself, as a shell with few descriptors cannot redirect its output.
const printLimits = searchPath +
	"if [ -r /proc/self/limits ]; then sed -n \"s/^/" + limitMark + "/w /dev/stderr\" /proc/self/limits || " +
	"sed s/^/" + limitMark + "/ /proc/self/limits >&2; fi; " +
	"if [ -r /proc/self/cgroup ]; then while IFS=: read -r n l c; do case $l in " +
	`"") k=/sys/fs/cgroup; l=memory.max;; ` +
	"memory|memory,*|*,memory) k=/sys/fs/cgroup/memory; l=memory.limit_in_bytes;; *) continue;; esac; " +
	"while [ -n \"$c\" ]; do if [ -r \"$k$c/$l\" ] && read -r n <\"$k$c/$l\"; then " +
	"echo \"" + limitMark + crash.MemoryLimitKey + " $n\" >&2; fi; c=${c%/*}; done; done </proc/self/cgroup; fi; "

// SessionLimits returns the limits of the session that a node's stderr states, for package rlimit; empty: none were
// printed.
func SessionLimits(stderr string) string {
	var list strings.Builder
	for line := range strings.Lines(stderr) {
		if _, limit, ok := strings.Cut(line, limitMark); ok {
			list.WriteString(limit)
		}
	}
	return list.String()
}

// HasBegun reports, by a node's stderr, whether a script ran on the node without becoming a probe: such a script says
// what it needs, or the limits of its session. Otherwise the login shell ran something else.
func HasBegun(stderr string) bool {
	return strings.Contains(stderr, needMark) || strings.Contains(stderr, limitMark)
}
