# shellcheck shell=bash
# Topology: slurmctld knows which nodes are under which switch. Without it, as at first, it says that there is no topology.

# NODES_A_SWITCH is how many nodes a leaf switch has. The last one may have fewer; all leaves are under one root.
NODES_A_SWITCH=4

# After 22.05, commands fail on a topology that they do not have in their slurm.conf.
HOSTS_WITH_TOPOLOGY=(login ctl)

fault_ctldswitches() {
	local n first last host k=0 leaves=()
	n=$(node_count)
	for ((first = 1; first <= n; first += NODES_A_SWITCH)); do
		last=$((first + NODES_A_SWITCH - 1))
		leaves+=("SwitchName=leaf$((++k)) Nodes=$(printf 'node[%02d-%02d]' "$first" $((last < n ? last : n)))")
	done
	# shellcheck disable=SC2016  # expanded by the inner shell
	for host in "${HOSTS_WITH_TOPOLOGY[@]}"; do
		in_host "$host" sh -ec 'printf "%s\n" "$@" >/etc/slurm/topology.conf' sh "${leaves[@]}" "SwitchName=spine Switches=leaf[1-$k]"
	done
	set_topology tree
	retry 20 knows_switches || die "slurmctld has no switches"
}

fault_ctldnoswitches() {
	local host
	if in_host ctl grep -q '^TopologyPlugin=' /etc/slurm/slurm.conf; then set_topology none; fi
	for host in "${HOSTS_WITH_TOPOLOGY[@]}"; do in_host "$host" rm -f /etc/slurm/topology.conf; done
}

# set_topology NAME: slurmctld starts with that plugin, and the commands know it. none is SLURM's default.
set_topology() {
	local host
	for host in "${HOSTS_WITH_TOPOLOGY[@]}"; do
		in_host "$host" sed -i '/^TopologyPlugin=/d' /etc/slurm/slurm.conf
		if [ "$1" != none ]; then in_host "$host" sed -i "\$a TopologyPlugin=topology/$1" /etc/slurm/slurm.conf; fi
	done
	restart_ctld
}

knows_switches() { in_host login scontrol show topology | grep '^SwitchName=spine ' >/dev/null; }
