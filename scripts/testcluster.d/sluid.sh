# shellcheck shell=bash
# fault sluid: on a node, SLURM lays out the cgroups of jobs as version 26.05 does, with its plugin for version 2 of cgroups. 26.05 does so itself,
# with real SLUIDs. In the plugin of an older SLURM the name of a job's directory is replaced: "s" and 13 hexadecimal digits, the number of the
# job, which nobody may count on.

slurm_library() { compgen -G "/usr/lib/*/slurm-wlm/$1"; }

# names_jobs_by_sluid: this SLURM does, unless it is told not to.
names_jobs_by_sluid() { grep -q CgroupJobIdPaths "$(slurm_library libslurmfull.so)"; }

# sluid_of JOB: prints the name of the directory of its processes.
sluid_of() {
	if names_jobs_by_sluid; then
		in_host login scontrol -d show job "$1" | grep -oP 'SLUID=\Ks[0-9A-Z]+'
	else
		printf 's%013X' "$1"
	fi
}

# layout_file HOST: has "sluids" or "numbers" while the fault is there.
layout_file() { echo "$STATE/hosts/$1/layout"; }
has_sluids() { grep -qs sluids "$(layout_file "$1")"; }

fault_sluid() {
	local plugin group layout lines
	[ -n "$(cgroup_dir)" ] || die "this machine has no cgroup version 2"
	plugin=$(slurm_library cgroup_v2.so) || die "this SLURM has no plugin for cgroup version 2"
	case ${2:-} in
	"") layout=sluids ;;
	numbers) layout=numbers ;;
	*) die "usage: testcluster fault sluid HOST [numbers]" 2 ;;
	esac
	fault_sluidok "$1"
	group=$(cgroup_dir)/$(group_of "$1")
	lines=(CgroupPlugin=cgroup/v2 "CgroupMountpoint=$group" IgnoreSystemd=yes)
	if names_jobs_by_sluid; then
		[ $layout = sluids ] || lines+=(CgroupJobIdPaths=yes)
	elif [ $layout = sluids ]; then
		sed "s|/job_%u|/s%013X|" "$plugin" >"$STATE/hosts/$1/cgroup_v2.so"
		in_host "$1" mount --bind "$STATE/hosts/$1/cgroup_v2.so" "$plugin"
	fi
	in_host "$1" sh -c 'printf "%s\n" "$@" >/etc/slurm/cgroup.conf' sh "${lines[@]}"
	# Newer plugins want a mount, and the whole path of a process; older ones its path below the mount.
	in_host "$1" mount --bind "$group" "$group"
	mkdir -p "$group/system.slice"
	echo "$layout" >"$(layout_file "$1")"
	if grep -q mountinfo "$plugin"; then group=''; else group=/$CGROUP/$(group_of "$1"); fi
	restart_slurmd "$1" env "LD_PRELOAD=$STATE/bin/cgroupview.so" "CGROUP_VIEW_ROOT=$group"
}

fault_sluidok() {
	local group
	[ -e "$(layout_file "$1")" ] || return 0
	group=$(cgroup_dir)/$(group_of "$1")
	# A host that has booted since has no mounts.
	in_host "$1" umount -l "$(slurm_library cgroup_v2.so)" 2>/dev/null || true
	in_host "$1" umount -l "$group" 2>/dev/null || true
	in_host "$1" sh -c 'rm -f /etc/slurm/cgroup.conf; [ ! -e "$1" ] || cp "$1" /etc/slurm/' sh "$STATE/etc/slurm/cgroup.conf"
	rm -f "$STATE/hosts/$1/cgroup_v2.so" "$(layout_file "$1")"
	restart_slurmd "$1"
	remove_tree "$group/system.slice" || true # a job may still run
}

# restart_slurmd HOST [CMD…]: CMD starts it, and what runs goes on. slurmctld takes a slurmd that has ended for one that runs for minutes, so
# the new one must have registered. slurmd ends if a process ends while slurmd moves it to another cgroup: then it is started once more.
restart_slurmd() {
	local began
	in_host "$1" pkill -x slurmd || true
	retry 10 no_slurmd "$1" || die "cannot end slurmd on $1"
	for _ in 1 2 3; do
		began=$(date +%s)
		in_host "$1" "${@:2}" /usr/sbin/slurmd -N "$1"
		retry 60 has_registered_or_ended "$1" "$began" || break
		if ! no_slurmd "$1"; then break; fi
	done
	has_registered "$1" "$began" || die "slurmd of $1 has not registered: $(tail -n 5 "$STATE/hosts/$1/log/slurm/slurmd.log")"
	retry 20 nodes_are_up "$1" || die "$1 is not up after slurmd was started again"
}
no_slurmd() { ! in_host "$1" pgrep -x slurmd >/dev/null; }

has_registered_or_ended() { no_slurmd "$1" || has_registered "$@"; }

# has_registered HOST SECONDS: its slurmd runs, and slurmctld knows that it started after that moment.
has_registered() {
	local start
	! no_slurmd "$1" || return 1
	start=$(in_host login timeout 5 scontrol show node "$1" | grep -oP 'SlurmdStartTime=\K[0-9T:-]+') || return 1
	[ "$(date -d "$start" +%s)" -ge "$2" ]
}

# remove_tree DIR: removes a cgroup and those below it.
remove_tree() { [ ! -d "$1" ] || find "$1" -depth -type d -exec rmdir {} + 2>/dev/null; }
