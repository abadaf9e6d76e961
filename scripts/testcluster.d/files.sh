# shellcheck shell=bash
# Files that the hosts share: compiled helpers, the common layer over /etc, keys, homes, slurm.conf.
#   $STATE/bin        helpers of these scripts         $STATE/etc       layer over /etc of every host
#   $STATE/node-bin   /usr/local/bin of the nodes      $STATE/etc-node  layer over that on the nodes
#   $STATE/nvml       both variants of the fake NVML   $STATE/home      /home        $STATE/keys  host keys

# make_files N: makes everything that the hosts need before they start.
make_files() {
	mkdir -p "$STATE"/{bin,node-bin,nvml,etc/ssh,etc/munge,etc/slurm,etc-node,home,keys,hosts,shared}
	chmod 700 "$STATE/keys" "$STATE/hosts"
	chmod 1777 "$STATE/shared"
	compile_helpers
	make_accounts
	make_homes
	make_munge_key
	make_ssh "$1"
	make_slurm_conf "$1"
	make_loader_cache
}

compile_helpers() {
	local own
	own=$(own_suite)
	gcc -O2 -Wall -Wextra -Werror -o "$STATE/bin/$HOST_COMM" "$parts/host.c" || die "cannot compile host.c"
	gcc -O2 -Wall -Wextra -Werror -o "$STATE/bin/netdelay" "$parts/netdelay.c" || die "cannot compile netdelay.c"
	gcc -O2 -Wall -Wextra -Werror -o "$STATE/node-bin/gpuwork" "$parts/gpuwork.c" || die "cannot compile gpuwork.c"
	gcc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$STATE/bin/cgroupview.so" "$parts/cgroupview.c" || die "cannot compile cgroupview.c"
	"$here/fakenvml/build" "$STATE/nvml" ${own:+"$INCLUDE_IN_TREE"} || die "cannot build the fake NVML"
}

make_accounts() {
	local user id=$FIRST_UID
	cp -p /etc/passwd /etc/group /etc/shadow /etc/gshadow "$STATE/etc/"
	for user in "${USERS[@]}"; do
		echo "$user:x:$id:$id:$user:/home/$user:/bin/bash" >>"$STATE/etc/passwd"
		echo "$user:x:$id:" >>"$STATE/etc/group"
		echo "$user:*:19000:0:99999:7:::" >>"$STATE/etc/shadow"
		id=$((id + 1))
	done
}

make_homes() {
	local user home id=$FIRST_UID
	for user in "${USERS[@]}"; do
		home=$STATE/home/$user
		cp -r /etc/skel "$home"
		mkdir -m 700 "$home/.ssh"
		ssh-keygen -q -t ed25519 -N '' -C "$user" -f "$home/.ssh/id_ed25519"
		cp "$home/.ssh/id_ed25519.pub" "$home/.ssh/authorized_keys"
		chown -R "$id:$id" "$home"
		chmod 755 "$home"
		id=$((id + 1))
	done
}

make_munge_key() {
	head -c 1024 /dev/urandom >"$STATE/etc/munge/munge.key"
	chmod 700 "$STATE/etc/munge"
	chmod 400 "$STATE/etc/munge/munge.key"
	chown -R munge:munge "$STATE/etc/munge"
}

# make_ssh N: makes host names, host keys, and a known_hosts with all of them, as admins do.
make_ssh() {
	local host key type value
	echo "127.0.0.1 localhost" >"$STATE/etc/hosts"
	for host in $(host_names "$1"); do
		echo "$(host_ip "$host") $host $host.cluster.test" >>"$STATE/etc/hosts"
		key=$STATE/keys/$host
		ssh-keygen -q -t ed25519 -N '' -C "root@$host" -f "$key"
		read -r type value _ <"$key.pub"
		echo "$host,$host.cluster.test,$(host_ip "$host") $type $value" >>"$STATE/etc/ssh/ssh_known_hosts"
	done
	cat >"$STATE/etc/ssh/sshd_config" <<-END
		Include /etc/ssh/sshd_config.d/*.conf
		AddressFamily inet
		HostKey /etc/ssh/ssh_host_ed25519_key
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		UsePAM yes
		PrintMotd no
		UseDNS no
		AcceptEnv LANG LC_*
		Subsystem sftp internal-sftp
	END
}

# make_slurm_conf N. Options that need a reason:
#   config_overrides                 the nodes claim 32 CPUs whatever this machine has
#   proctrack/cgroup                 pam_slurm_adopt puts sessions into jobs; linuxproc where the machine has no freezer
#   task/none                        needs none of the machine's cgroups
#   PrologFlags=Contain              creates the extern step that pam_slurm_adopt looks for
#   batch_sched_delay=0              a batch job starts at once, not up to 3 s later
make_slurm_conf() {
	local nodes track=linuxproc
	nodes="node[01-$(printf %02d "$1")]"
	if [ -n "$(freezer_dir)" ]; then
		track=cgroup
		[ -z "$NUMBER" ] || rename_freezer_groups
		printf '%s\n' CgroupPlugin=cgroup/v1 "CgroupMountpoint=$(dirname "$(freezer_dir)")" >"$STATE/etc/slurm/cgroup.conf"
	fi
	cat >"$STATE/etc/slurm/slurm.conf" <<-END
		ClusterName=testcluster
		SlurmctldHost=ctl($(host_ip ctl))
		AuthType=auth/munge
		CredType=cred/munge
		SlurmUser=slurm
		StateSaveLocation=/var/lib/slurm/ctld
		SlurmdSpoolDir=/var/lib/slurm/slurmd
		SlurmctldPidFile=/run/slurmctld/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		SlurmctldLogFile=/var/log/slurm/slurmctld.log
		SlurmdLogFile=/var/log/slurm/slurmd.log
		ProctrackType=proctrack/$track
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		AccountingStorageHost=ctl
		JobCompType=jobcomp/none
		SwitchType=switch/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=5,bf_interval=5,sched_min_interval=0,batch_sched_delay=0
		PrologFlags=Contain
		SlurmdParameters=config_overrides
		ReturnToService=2
		SlurmdTimeout=300
		SlurmctldTimeout=30
		InactiveLimit=0
		KillWait=5
		MinJobAge=60
		GresTypes=gpu
		NodeName=$nodes CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=256000 Gres=gpu:a100:4 State=UNKNOWN
		PartitionName=gpu Nodes=$nodes Default=YES MaxTime=7-00:00:00 DefaultTime=01:00:00 State=UP OverSubscribe=NO
		PartitionName=debug Nodes=$nodes MaxTime=00:30:00 State=UP
	END
	echo "NodeName=$nodes Name=gpu Type=a100 File=/dev/nvidia[0-3]" >"$STATE/etc/slurm/gres.conf"
}

# rename_freezer_groups: copies SLURM's library for the nodes, with another name for the groups of a node. The name is not a setting, and nodes
# of two clusters have the same names.
rename_freezer_groups() {
	sed "s|/slurm_%n|/$FREEZER_PREFIX%n|" "$(compgen -G '/usr/lib/*/slurm-wlm/libslurmfull.so')" >"$STATE/bin/libslurmfull.so"
}

# make_loader_cache: makes an ld.so.cache for the nodes that includes /run/fakenvml, where boot.sh puts the fake NVML.
# ldconfig lists only directories that exist, and /run/fakenvml must not exist on this machine, so this happens in its own
# mount namespace.
make_loader_cache() {
	mkdir -p "$STATE/etc-node/ld.so.conf.d"
	echo /run/fakenvml >"$STATE/etc-node/ld.so.conf.d/fakenvml.conf"
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare -m --propagation private sh -ec '
		mount --bind "$1" /mnt
		mount -t tmpfs run /run
		mkdir /run/fakenvml
		cp /mnt/nvml/current/libnvidia-ml.so.1 /run/fakenvml/
		{ cat /etc/ld.so.conf; echo /run/fakenvml; } >/run/ld.so.conf
		ldconfig -X -f /run/ld.so.conf -C /mnt/etc-node/ld.so.cache
	' sh "$STATE" || die "cannot make the nodes' ld.so.cache"
}
