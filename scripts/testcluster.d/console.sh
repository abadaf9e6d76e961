# shellcheck shell=bash
# Commands for a running cluster: run commands, copy files, submit jobs, read CPU time.

cmd_on() {
	local user=root home=/root host
	if [ "${1:-}" = -u ]; then
		[ $# -ge 2 ] || die "usage: testcluster on [-u USER] HOST [CMD…]" 2
		user=$2 home=/home/$2
		shift 2
	fi
	host=${1:-}
	[ -n "$host" ] || die "usage: testcluster on [-u USER] HOST [CMD…]" 2
	shift
	need_host "$host"
	[ $# -gt 0 ] || set -- bash -l
	as_user "$user" "$home" "$host" "$@"
}

# as_user USER HOME HOST CMD…: runs CMD with the environment of a fresh login in this terminal.
as_user() {
	local user=$1 home=$2 host=$3
	shift 3
	local env=(HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash LANG=C.UTF-8 TERM="${TERM:-xterm-256color}"
		PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin)
	[ -z "${COLORTERM:-}" ] || env+=(COLORTERM="$COLORTERM")
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host "$host" setpriv --reuid="$user" --regid="$user" --init-groups \
		env -i "${env[@]}" sh -c 'cd && exec "$@"' sh "$@"
}

cmd_put() {
	local file=${1:-} name
	[ -f "$file" ] || die "usage: testcluster put FILE [NAME]" 2
	need_host login
	name=${2:-$(basename "$file")}
	# Make a new file each time: the old one may be running, and a running program cannot be overwritten.
	install -m 755 "$file" "$STATE/shared/.$name.new"
	mv "$STATE/shared/.$name.new" "$STATE/shared/$name"
	echo "$STATE/shared/$name"
}

cmd_job() {
	local user=alice n name=gpuwork id why
	if [ "${1:-}" = -u ]; then
		user=${2:-}
		shift 2
	fi
	n=${1:-}
	[[ $n =~ ^[0-9]+$ ]] || die "usage: testcluster job [-u USER] N [NAME [SBATCH-ARGS…]]" 2
	shift
	if [ $# -gt 0 ]; then
		name=$1
		shift
	fi
	need_host login
	id=$(cmd_on -u "$user" login sbatch --parsable -N "$n" --ntasks-per-node=4 --gres=gpu:4 -J "$name" -o /dev/null \
		"$@" --wrap 'srun gpuwork') || die "sbatch failed"
	if ! retry 20 job_runs "$id"; then
		why=$(in_host login squeue -h -j "$id" -o '%T %r')
		in_host login scancel "$id"
		die "job $id did not start and was canceled: $why"
	fi
	echo "$id"
}

job_runs() { [ "$(in_host login timeout 5 squeue -h -j "$1" -o %T)" = RUNNING ]; }

# cmd_cpu: processes that have ended count as well. A host's processes count in its group, except those of `on` with
# TESTCLUSTER_CGROUP.
cmd_cpu() {
	local dir group
	need_host login
	dir=$(cgroup_dir) || die "CPU time is not available: this machine has no cgroup version 2"
	for group in login-app login ctl nodes; do
		awk -v group=$group '$1 == "usage_usec" { printf "%s %.0f\n", group, $2 * 1000 }' "$dir/$group/cpu.stat"
	done
}
