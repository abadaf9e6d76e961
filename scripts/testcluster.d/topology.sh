# shellcheck shell=bash
# Topology: slurmctld knows which nodes are under which switch. Without it, as at first, it says that there is no topology.

# NODES_A_SWITCH is how many nodes a leaf switch has. The last one may have fewer; all leaves are under one root.
NODES_A_SWITCH=4

fault_ctldswitches() {
	local n first last k=0 leaves=()
	n=$(node_count)
	for ((first = 1; first <= n; first += NODES_A_SWITCH)); do
		last=$((first + NODES_A_SWITCH - 1))
		leaves+=("SwitchName=leaf$((++k)) Nodes=$(printf 'node[%02d-%02d]' "$first" $((last < n ? last : n)))")
	done
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host ctl sh -ec 'printf "%s\n" "$@" >/etc/slurm/topology.conf' sh "${leaves[@]}" "SwitchName=spine Switches=leaf[1-$k]"
	set_topology tree
}

fault_ctldnoswitches() {
	if in_host ctl grep -q '^TopologyPlugin=' /etc/slurm/slurm.conf; then set_topology none; fi
	in_host ctl rm -f /etc/slurm/topology.conf
}

# set_topology NAME: slurmctld starts with that plugin. none is SLURM's default.
set_topology() {
	in_host ctl sed -i '/^TopologyPlugin=/d' /etc/slurm/slurm.conf
	if [ "$1" != none ]; then in_host ctl sed -i "\$a TopologyPlugin=topology/$1" /etc/slurm/slurm.conf; fi
	restart_ctld
}
