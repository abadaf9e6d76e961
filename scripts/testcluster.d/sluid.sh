# shellcheck shell=bash
# fault sluid: on a node, SLURM lays out the cgroups of jobs as version 26.05 does. It is the machine's own SLURM, with its plugin for version 2
# of cgroups, in which the name of a job's directory is replaced: "s" and 13 digits. Here these are the number of the job, which nobody may count on.

# sluid_of JOB: prints the name of the directory.
sluid_of() { printf 's%013u' "$1"; }

has_sluids() { in_host "$1" test -e /run/sluid; }

fault_sluid() {
	local plugin dir name=s%013u
	dir=$(cgroup_dir) || die "this machine has no cgroup version 2"
	plugin=$(compgen -G '/usr/lib/*/slurm-wlm/cgroup_v2.so') || die "this SLURM has no plugin for cgroup version 2"
	case ${2:-} in
	"") ;;
	numbers) name=job_%u ;;
	*) die "usage: testcluster fault sluid HOST [numbers]" 2 ;;
	esac
	fault_sluidok "$1"
	sed "s|/job_%u|/$name|" "$plugin" >"$STATE/hosts/$1/cgroup_v2.so"
	in_host "$1" mount --bind "$STATE/hosts/$1/cgroup_v2.so" "$plugin"
	in_host "$1" sh -c 'printf "%s\n" CgroupPlugin=cgroup/v2 "CgroupMountpoint=$1" IgnoreSystemd=yes >/etc/slurm/cgroup.conf' sh "$dir/nodes"
	[ -n "${2:-}" ] || in_host "$1" touch /run/sluid
	mkdir -p "$dir/nodes/system.slice"
	restart_slurmd "$1" env "LD_PRELOAD=$STATE/bin/cgroupview.so" "CGROUP_VIEW_ROOT=/$CGROUP/nodes"
}

fault_sluidok() {
	local plugin
	[ -e "$STATE/hosts/$1/cgroup_v2.so" ] || return 0
	plugin=$(compgen -G '/usr/lib/*/slurm-wlm/cgroup_v2.so')
	in_host "$1" umount -l "$plugin" 2>/dev/null || true # it has booted since
	in_host "$1" sh -c 'rm -f /run/sluid /etc/slurm/cgroup.conf; [ ! -e "$1" ] || cp "$1" /etc/slurm/' sh "$STATE/etc/slurm/cgroup.conf"
	rm "$STATE/hosts/$1/cgroup_v2.so"
	restart_slurmd "$1"
	remove_tree "$(cgroup_dir)/nodes/system.slice/$1_slurmstepd.scope" || true # a job may still run
}

# restart_slurmd HOST [CMD…]: CMD starts it, and what runs goes on.
restart_slurmd() {
	in_host "$1" pkill -x slurmd || true
	retry 10 no_slurmd "$1" || die "cannot end slurmd on $1"
	in_host "$1" "${@:2}" /usr/sbin/slurmd -N "$1"
	retry 20 nodes_are_up "$1" || die "$1 is not up after slurmd was started again"
}
no_slurmd() { ! in_host "$1" pgrep -x slurmd >/dev/null; }

# remove_tree DIR: removes a cgroup and those below it.
remove_tree() { [ ! -d "$1" ] || find "$1" -depth -type d -exec rmdir {} + 2>/dev/null; }
