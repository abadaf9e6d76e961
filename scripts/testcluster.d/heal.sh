# shellcheck shell=bash
# testcluster heal: undoes all faults of a host, whichever there are, so that a test can start clean.

cmd_heal() {
	local host hosts=("$@") nodes
	alive login || die "no cluster is up"
	[ $# -gt 0 ] || mapfile -t hosts < <(host_names "$(node_count)")
	for host in "${hosts[@]}"; do heal_host "$host"; done
	# Other nodes are not waited for: one may be off for another test. All of them are only after a fault of ctl.
	nodes=("${hosts[@]}")
	[[ " ${hosts[*]} " != *' ctl '* ]] || mapfile -t nodes < <(host_names "$(node_count)")
	mapfile -t nodes < <(printf '%s\n' "${nodes[@]}" | grep '^node')
	# slurmctld asks a node that did not respond again after a minute or two, unless it is told to.
	retry 5 nodes_are_up "${nodes[@]}" || in_host ctl scontrol reconfigure
	retry 60 nodes_are_up "${nodes[@]}" || die "${nodes[*]}: $(nodes_up "${nodes[@]}") of ${#nodes[@]} up after healing"
}

heal_host() {
	if ! alive "$1"; then
		fault_poweron "$1"
		return
	fi
	case $1 in
	login) ;;
	ctl)
		heal_network ctl
		in_host ctl pkill -CONT -x slurmctld || fault_ctldstart ctl
		fault_ctldnousage
		fault_ctldnoswitches
		fault_ctldnoshards
		fault_ctldnotokens
		;;
	*) heal_node "$1" ;;
	esac
}

heal_network() {
	fault_linkup "$1"
	fault_undrop "$1"
	fault_delay "$1" 0
}

heal_node() {
	heal_network "$1"
	fault_contsshd "$1" || true
	fault_contprobe "$1" || true
	fault_probesok "$1"
	fault_unadopt "$1"
	fault_otpok "$1"
	fault_knownkey "$1"
	heal_sshd_files "$1"
	in_host "$1" pgrep -x sshd >/dev/null || fault_startsshd "$1"
	fault_placesok "$1"
	fault_nodisk "$1"
	fault_libok "$1"
	fault_nvmlok "$1"
	fault_leftoverok "$1"
	fault_jobmemoryok "$1"
	fault_sluidok "$1"
	retry 20 resumed "$1" || die "$1 is still drained"
}

# resumed HOST: HOST is not drained. If it is, asks SLURM to resume it: a slurmctld that has just started may still have an
# old state, and may refuse.
resumed() {
	[[ $(in_host login timeout 5 sinfo -h -n "$1" -p gpu -o %T) == drain* ]] || return 0
	fault_resume "$1" 2>/dev/null || true
	return 1
}

# heal_sshd_files does the work of keyok, undeny, hostkeyback and quiet with at most one reload.
heal_sshd_files() {
	local dir=/etc/ssh/sshd_config.d
	if in_host "$1" sh -c "cmp -s $STATE/keys/$1 /etc/ssh/ssh_host_ed25519_key && ! ls $dir/*.conf" >/dev/null 2>&1; then
		return
	fi
	in_host "$1" sh -c "rm -f $dir/*.conf /etc/ssh/sshrc"
	in_host "$1" sh -c "sed -i '/testcluster noise on $1/d' /home/*/.bashrc"
	fault_hostkeyback "$1"
}
