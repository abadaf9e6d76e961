# shellcheck shell=bash
# Accounts: slurmdbd on ctl, with a MariaDB of its own that has neither system tables nor users. Without them, as at first, only slurmctld knows
# for a minute how a job has ended.

fault_ctldaccounts() {
	local lines=(DbdHost=ctl AuthType=auth/munge SlurmUser=slurm StorageType=accounting_storage/mysql StorageHost=localhost StorageUser=slurm
		PidFile=/run/slurmctld/slurmdbd.pid LogFile=/var/log/slurm/slurmdbd.log)
	fault_ctldnoaccounts
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host ctl sh -ec '
		install -d -o slurm -g slurm /run/mysqld /run/accounts
		install -o slurm -g slurm -m 600 /dev/null /etc/slurm/slurmdbd.conf
		printf "%s\n" "$@" >/etc/slurm/slurmdbd.conf
		echo "CREATE DATABASE slurm_acct_db;" >/run/accounts.sql
	' sh "${lines[@]}"
	# slurmdbd could make its database itself, but the library of MariaDB 11.8.9 fails after a connection to one that does not exist yet.
	# SLURM wants no snapshots of MariaDB 11, which has them by default.
	as_slurm setsid -f /usr/sbin/mariadbd --no-defaults --datadir=/run/accounts --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/pid \
		--skip-grant-tables --skip-networking --innodb-buffer-pool-size=16M --loose-innodb-snapshot-isolation=OFF \
		--init-file=/run/accounts.sql </dev/null >"$STATE/hosts/ctl/log/mariadb.log" 2>&1
	retry 20 in_host ctl test -S /run/mysqld/mysqld.sock || die "the database did not start"
	as_slurm /usr/sbin/slurmdbd 2>>"$STATE/hosts/ctl/log/boot.log"
	set_accounts slurmdbd
	retry 20 in_host login timeout 5 sacct -n >/dev/null 2>&1 || die "there are no accounts"
}

fault_ctldnoaccounts() {
	if in_host ctl grep -q storage/slurmdbd /etc/slurm/slurm.conf; then set_accounts none; fi
	in_host ctl pkill -x slurmdbd || true
	retry 20 none_runs slurmdbd || die "slurmdbd does not end"
	in_host ctl pkill -KILL -x mariadbd || true
	retry 20 none_runs mariadbd || die "the database does not end"
	in_host ctl rm -rf /run/accounts /run/accounts.sql /run/mysqld
}

# set_accounts TYPE: slurmctld starts with that type of accounting; login's commands know it. Since 24.11 it has an identity of its
# own without accounts, which those would not know: it takes theirs.
set_accounts() {
	local host
	for host in login ctl; do in_host "$host" sed -i "s|storage/[a-z]*$|storage/$1|" /etc/slurm/slurm.conf; done
	stop_ctld
	in_host ctl rm -f /var/lib/slurm/ctld/clustername
	start_ctld
}

# With usage, SLURM also samples each second what tasks use, and counts GPUs. gres/gpuutil and gres/gpumem stay empty
# without an NVML plugin: a test writes them into the database.
fault_ctldusage() {
	fault_ctldaccounts
	gather linux JobAcctGatherFrequency=1 AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpumem,gres/gpuutil
}

fault_ctldnousage() {
	if in_host ctl grep -q jobacct_gather/linux /etc/slurm/slurm.conf; then gather none; fi
	fault_ctldnoaccounts
}

# gather TYPE [LINE…]: SLURM gathers usage with that plugin, on all hosts, with these lines more in slurm.conf.
gather() {
	local host hosts
	mapfile -t hosts < <(host_names "$(node_count)")
	for host in "${hosts[@]}"; do
		# shellcheck disable=SC2016  # expanded by the inner shell
		in_host "$host" sh -ec '
			sed -i -e "/^JobAcctGatherFrequency=/d; /^AccountingStorageTRES=/d" -e "s|^JobAcctGatherType=.*|JobAcctGatherType=jobacct_gather/$1|" \
				/etc/slurm/slurm.conf
			shift; for line; do echo "$line" >>/etc/slurm/slurm.conf; done
		' sh "$@"
	done
	restart_ctld
	for host in "${hosts[@]}"; do ! is_node "$host" || restart_slurmd "$host"; done
	[ "$1" = none ] || in_host login scontrol show config | grep "^JobAcctGatherType .*$1" >/dev/null || die "slurmctld does not gather usage by $1"
}

# With tokens, slurmctld takes whoever has a token in SLURM_JWT for its user; `scontrol token` makes one.
fault_ctldtokens() {
	fault_ctldnotokens
	in_host ctl sh -ec 'head -c 32 /dev/urandom >/run/token.key; chown slurm: /run/token.key; chmod 600 /run/token.key
		printf "%s\n" AuthAltTypes=auth/jwt AuthAltParameters=jwt_key=/run/token.key >>/etc/slurm/slurm.conf'
	restart_ctld
	in_host ctl scontrol token >/dev/null || die "slurmctld makes no token"
}

fault_ctldnotokens() {
	in_host ctl grep -q '^AuthAlt' /etc/slurm/slurm.conf || return 0
	in_host ctl sed -i '/^AuthAlt/d' /etc/slurm/slurm.conf
	in_host ctl rm -f /run/token.key
	restart_ctld
}

# restart_ctld: slurmctld ends and starts, with the slurm.conf that ctl has now.
restart_ctld() {
	stop_ctld
	start_ctld
}
stop_ctld() {
	in_host ctl pkill -x slurmctld || true
	retry 20 none_runs slurmctld || die "slurmctld does not end"
}
start_ctld() {
	fault_ctldstart
	retry 20 in_host login timeout 5 squeue -h >/dev/null || die "slurmctld does not answer"
}

# none_runs NAME: no process of that name is left on ctl.
none_runs() { ! in_host ctl pgrep -x "$1" >/dev/null; }

as_slurm() { in_host ctl setpriv --reuid=slurm --regid=slurm --clear-groups "$@"; }
