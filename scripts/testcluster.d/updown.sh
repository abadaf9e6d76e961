# shellcheck shell=bash
# Start, stop and state of the cluster. A host is a process (host.c) that is pid 1 of its own namespaces. When it dies, the
# kernel ends its processes and removes its network and mounts.

cmd_up() {
	local n=${1:-} host missing=() started=$EPOCHREALTIME
	if [[ ! $n =~ ^[1-9][0-9]?$ ]] || [ "$n" -gt $MAX_NODES ]; then die "usage: testcluster up N, N from 1 to $MAX_NODES" 2; fi
	[ -z "$(missing_parts)" ] || die "missing: $(missing_parts | tr '\n' ' '); run testcluster install"
	lock
	if ! reusable "$n"; then
		take_down
		mkdir -p "$STATE"
		mount -t tmpfs -o mode=755 testcluster "$STATE"
		make_files "$n"
		version >"$STATE/version"
		echo "$n" >"$STATE/nodes"
	fi
	make_groups "$n"
	for host in $(host_names "$n"); do
		alive "$host" || missing+=("$host")
	done
	start_hosts "${missing[@]}"
	retry $((30 + n)) all_nodes_up "$n" || die "$(nodes_up) of $n nodes are up; see $STATE/hosts/*/log"
	printf 'testcluster: %d nodes up, %.1f s\n' "$n" "$(seconds_since "$started")"
}

seconds_since() { awk -v now="$EPOCHREALTIME" -v then="$1" 'BEGIN { print now - then }'; }

# version: prints a checksum of these scripts, so that `up` does not keep a cluster that older scripts made.
version() { find "$here/testcluster" "$parts" "$here/fakenvml" -type f -print0 | sort -z | xargs -0 sha256sum; }

# reusable N: a cluster of N nodes, made by these scripts, is up. Single hosts may be off.
reusable() {
	alive login && [ "$(node_count)" = "$1" ] && [ "$(version)" = "$(cat "$STATE/version" 2>/dev/null)" ]
}

# make_groups N: makes the groups of the hosts, and of what `on` runs with TESTCLUSTER_CGROUP.
make_groups() {
	local dir host
	dir=$(cgroup_dir) || return 0
	mkdir -p "$dir/login-app" 2>/dev/null || true
	for host in $(host_names "$1"); do mkdir -p "$dir/$(group_of "$host")" 2>/dev/null || true; done
}

# start_hosts HOST…: powers on, connects, then boots the hosts, a few at a time.
start_hosts() {
	local host batch=()
	for host in "$@"; do power_on "$host"; done
	for host in "$@"; do
		[ "$host" = login ] || batch+=(
			"link add v-$host type veth peer name eth0 address $(host_mac "$host") netns $(pid_of "$host")"
			"link set v-$host master br0 up"
		)
	done
	for host in "$@"; do
		[ "$host" != login ] || make_switch
	done
	[ ${#batch[@]} -eq 0 ] || printf '%s\n' "${batch[@]}" | in_login_net ip -batch - || die "cannot connect the hosts"
	boot_all "$@"
}

# power_on keeps the host's files, above all SLURM's state; only /etc is reset.
power_on() {
	local dir=$STATE/hosts/$1
	rm -rf "$dir/etc" "$dir/etc-work"
	mkdir -p "$dir"/{etc/ssh,etc-work,log/slurm,log/munge,munge,slurm/ctld,slurm/slurmd}
	chmod 700 "$dir/munge" "$dir/log/munge"
	chown munge:munge "$dir/munge" "$dir/log/munge"
	chown slurm:slurm "$dir/slurm" "$dir/slurm/ctld" "$dir/log/slurm"
	install -m 600 "$STATE/keys/$1" "$dir/etc/ssh/ssh_host_ed25519_key"
	install -m 644 "$STATE/keys/$1.pub" "$dir/etc/ssh/ssh_host_ed25519_key.pub"
	(
		join_group "$(group_of "$1")"
		PATH=$STATE/bin exec "$HOST_COMM" "$1" 9>&-
	) >"$dir/pid" || die "cannot start host $1"
}

# in_login_net CMD…: runs CMD of this machine in the network of login, which holds the switch. It enters only the network
# namespace, since `ip link … netns PID` needs a PID of this machine.
in_login_net() { nsenter -t "$(pid_of login)" -n -- "$@" 9>&-; }

make_switch() {
	in_login_net ip -batch - <<-END
		link set lo up
		link add br0 type bridge forward_delay 0 stp_state 0
		addr add $(host_ip login)/16 dev br0
		link set br0 up
	END
}

boot_all() {
	local host running=0 failed=0 parallel
	parallel=$((2 * $(nproc)))
	for host in "$@"; do
		if [ "$running" -ge "$parallel" ]; then
			wait -n || failed=1
			running=$((running - 1))
		fi
		boot "$host" &
		running=$((running + 1))
	done
	while [ "$running" -gt 0 ]; do
		wait -n || failed=1
		running=$((running - 1))
	done
	[ "$failed" -eq 0 ] || die "not all hosts booted"
}

boot() {
	local log=$STATE/hosts/$1/log/boot.log
	in_host "$1" /bin/bash "$parts/boot.sh" "$1" "$(host_ip "$1")" "$STATE" </dev/null >"$log" 2>&1 && return
	printf 'testcluster: %s did not boot:\n' "$1" >&2
	cat "$log" >&2
	return 1
}

# nodes_up [NODE…]: counts the nodes (of these) that respond to slurmctld, also busy or drained ones. sinfo marks the others with a star.
nodes_up() {
	local IFS=,
	in_host login timeout 5 sinfo -h -N -p gpu ${1:+-n "$*"} -o %T 2>/dev/null | grep -cvE '[*]|down|unknown|fail|inval'
}

all_nodes_up() { [ "$(nodes_up)" = "$1" ]; }
nodes_are_up() { [ $# = 0 ] || [ "$(nodes_up "$@")" = $# ]; }

cmd_down() {
	lock
	take_down
}

# take_down also removes what a killed run left. It relies on no file, only on the process name, the mount and the cgroup.
take_down() {
	local pids disk
	# Who waits for a frozen disk cannot be killed.
	for disk in "$STATE"/hosts/*/disk; do
		[ ! -f "$disk" ] || fault_thaw "$(basename "$(dirname "$disk")")" || true
	done
	pids=$(pgrep -u root -x "$HOST_COMM" | tr '\n' ' ') || true
	# shellcheck disable=SC2086  # a list of pids
	[ -z "$pids" ] || { kill -9 $pids && retry 20 no_hosts; } || die "cannot end the hosts with pids $pids"
	while mountpoint -q "$STATE"; do
		retry 2 umount "$STATE" 2>/dev/null || umount -l "$STATE"
	done
	[ ! -d "$STATE" ] || rmdir "$STATE"
	remove_groups
}

no_hosts() { ! pgrep -u root -x "$HOST_COMM" >/dev/null; }

remove_groups() {
	local dir
	for dir in "$(freezer_dir)/$FREEZER_PREFIX"node[0-9][0-9]; do
		[ ! -d "$dir" ] || find "$dir" -depth -type d -exec rmdir {} +
	done
	dir=$(cgroup_dir) || return 0
	[ -d "$dir" ] || return 0
	retry 5 remove_empty_groups "$dir" || die "processes are left in $dir: $(find "$dir" -name cgroup.procs -exec cat {} + | tr '\n' ' ')"
}

remove_empty_groups() { remove_tree "$1" || [ ! -d "$1" ]; }

cmd_status() {
	local n host state
	n=$(node_count)
	alive login || die "no cluster is up"
	for host in $(host_names "$n"); do
		state=off
		if alive "$host"; then state="up, pid 1 is $(pid_of "$host")"; fi
		printf '%-7s %-12s %s\n' "$host" "$(host_ip "$host")" "$state"
	done
	in_host login timeout 5 sinfo -h -N -p gpu -o '%N %T %E' || true
}
