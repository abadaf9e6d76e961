# shellcheck shell=bash
# Names, paths and functions that all other parts use. Sourced by ../testcluster.

# All state is here, on a tmpfs that `up` mounts and `down` unmounts. It is outside the checkout, which may be in a 0700
# directory, the cluster's users can read it, and it can hold the upper layers of overlays.
# Clusters with other numbers in TESTCLUSTER run side by side: whatever the machine sees of a cluster has its number.
NUMBER=${TESTCLUSTER:-}
STATE=/run/nvnodetop-testcluster$NUMBER
CGROUP=nvnodetop-testcluster$NUMBER
# The process name of every host's pid 1. The kernel cuts names after 15 characters.
HOST_COMM=testcluster${NUMBER:-host}
# What SLURM calls the groups of NODE in the machine's freezer: slurm_NODE, as long as there is one cluster.
FREEZER_PREFIX=slurm${NUMBER:-_}
MAX_NODES=64
USERS=(alice bob carol)
FIRST_UID=20001

die() {
	printf 'testcluster: %s\n' "$1" >&2
	exit "${2:-1}"
}

node_name() { printf 'node%02d' "$1"; }

is_node() { [[ $1 =~ ^node[0-9][0-9]$ ]]; }

# host_names N: prints the hosts of a cluster of N nodes, in the order in which they must start.
host_names() {
	local k
	echo login
	echo ctl
	for ((k = 1; k <= $1; k++)); do node_name "$k"; echo; done
}

host_ip() {
	case $1 in
	login) echo 10.77.0.1 ;;
	ctl) echo 10.77.0.2 ;;
	node*) echo "10.77.1.$((10#${1#node}))" ;;
	esac
}

# host_mac: prints an address that survives a reboot, so that the ARP tables of other hosts stay right.
host_mac() {
	local a b c d
	IFS=. read -r a b c d < <(host_ip "$1")
	printf '02:00:%02x:%02x:%02x:%02x' "$a" "$b" "$c" "$d"
}

pid_of() { cat "$STATE/hosts/$1/pid" 2>/dev/null; }

# alive HOST: its recorded pid 1 still runs, and is really that host's (the pid may have been reused).
alive() {
	local pid words=()
	pid=$(pid_of "$1") || return 1
	mapfile -d '' -t words <"/proc/$pid/cmdline" || return 1
	[ "${words[*]}" = "$HOST_COMM $1" ]
} 2>/dev/null

need_host() { alive "$1" || die "host \"$1\" is not up"; }

node_count() { cat "$STATE/nodes" 2>/dev/null || echo 0; }

# cgroup_dir: prints our cgroup. Version 2 counts CPU time even where version 1 owns the controllers.
cgroup_dir() {
	local mount
	mount=$(findmnt -n -o TARGET -t cgroup2 | head -n 1) && [ -n "$mount" ] && echo "$mount/$CGROUP"
}

# freezer_dir: prints where the machine has the freezer, in which version 1 of SLURM's plugin keeps the processes of jobs; or nothing.
freezer_dir() { findmnt -n -o TARGET -t cgroup -O freezer | head -n 1; }

# group_of HOST: prints the group that counts its CPU time. All nodes together are the group nodes.
group_of() { if is_node "$1"; then echo "nodes/$1"; else echo "$1"; fi; }

# join_group GROUP: moves this process and its children to GROUP. Does nothing without the cgroup.
join_group() {
	local dir
	dir=$(cgroup_dir) || return 0
	[ ! -w "$dir/$1/cgroup.procs" ] || echo "$BASHPID" >"$dir/$1/cgroup.procs"
}

# in_host HOST CMD…: runs CMD as root in the namespaces of HOST. It joins the group of HOST in there: nsenter itself is no process of HOST, and
# SLURM refuses a group with processes that it cannot see.
# It closes the lock (fd 9), so that a daemon started here does not hold it.
in_host() (
	host=$1 dir=$(cgroup_dir) || dir=
	shift
	# shellcheck disable=SC2016  # expanded by the inner shell
	[ -z "$dir" ] || set -- sh -c 'if [ -w "$0" ]; then echo $$ >"$0"; fi; exec "$@"' "$dir/${TESTCLUSTER_CGROUP:-$(group_of "$host")}/cgroup.procs" "$@"
	exec nsenter -t "$(pid_of "$host")" -m -u -i -n -p -- "$@" 9>&-
)

# retry SECONDS CMD…: runs CMD until it succeeds, at most for SECONDS.
retry() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# lock: allows one up or down at a time on this machine, from any clone, until this process ends. It locks a directory that
# always exists, so that no lock file is left.
lock() {
	exec 9</run
	flock 9
}
