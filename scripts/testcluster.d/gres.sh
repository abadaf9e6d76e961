# shellcheck shell=bash
# Shares of GPUs: each node has 16 shards, four for each GPU, beside its whole GPUs. Without them, as at first, a GPU goes to one job.

SHARDS_A_NODE=16

fault_ctldshards() {
	fault_ctldnoshards
	set_gres "gpu,shard" "gpu:a100:4,shard:$SHARDS_A_NODE" "Name=shard Count=$SHARDS_A_NODE"
	in_host login scontrol show config | grep '^GresTypes .*shard' >/dev/null || die "slurmctld knows no shards"
}

fault_ctldnoshards() {
	if in_host ctl grep -q '^GresTypes=.*shard' /etc/slurm/slurm.conf; then set_gres gpu gpu:a100:4; fi
}

# set_gres TYPES OF-A-NODE [LINE]: all hosts have these GRES in slurm.conf, and the nodes LINE more in gres.conf.
set_gres() {
	local host hosts
	mapfile -t hosts < <(host_names "$(node_count)")
	for host in "${hosts[@]}"; do
		# shellcheck disable=SC2016  # expanded by the inner shell
		in_host "$host" sh -ec '
			sed -i -e "s/^GresTypes=.*/GresTypes=$1/" -e "s/ Gres=[^ ]*/ Gres=$2/" /etc/slurm/slurm.conf
			sed -i "/Name=shard/d" /etc/slurm/gres.conf
			[ -z "$3" ] || echo "$3" >>/etc/slurm/gres.conf
		' sh "$1" "$2" "${3:-}"
	done
	restart_ctld
	for host in "${hosts[@]}"; do
		is_node "$host" || continue
		restart_slurmd "$host"
		# A slurmd that registers with the new slurmctld before its own restart has too few: its node is drained. Others refuse this.
		in_host ctl scontrol update "NodeName=$host" State=RESUME >/dev/null 2>&1 || true
	done
}
