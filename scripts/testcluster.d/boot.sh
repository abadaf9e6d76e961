#!/bin/bash
# boot.sh HOST IP STATE: runs once inside a new host, as root. Mounts its file tree, sets its address, starts its daemons.
set -euo pipefail
host=$1 ip=$2 state=$3
dir=$state/hosts/$host
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root
cd /

is_node() { [[ $host == node* ]]; }

# /etc: the host's own layer, over the nodes' layer, over the cluster's layer, over the machine's /etc.
mount_etc() {
	local lower=$state/etc:/etc
	is_node && lower=$state/etc-node:$lower
	mount -t overlay -o "lowerdir=$lower,upperdir=$dir/etc,workdir=$dir/etc-work" overlay /etc
	echo "$host" >/etc/hostname
}

mount_shared_and_own() {
	mount --bind "$state/home" /home
	mount --bind "$dir/log" /var/log
	mount --bind "$dir/munge" /var/lib/munge
	mount --bind "$dir/slurm" /var/lib/slurm
	mount -t tmpfs -o mode=1777 tmp /tmp
	mount -t tmpfs -o mode=1777 tmp /var/tmp
}

# The host gets its own /run. The state directory, which is in /run, stays where it was.
mount_run() {
	mount --bind "$state" /mnt
	mount -t tmpfs -o mode=755 run /run
	mkdir -p "$state" /run/sshd /run/lock /run/munge /run/slurmctld
	chown munge:munge /run/munge
	chown slurm:slurm /run/slurmctld
	mount --move /mnt "$state"
}

# A node gets its own /dev, with four GPUs (/dev/null under other names), terminals and shared memory.
mount_dev() {
	local name major minor gpu
	mkdir /run/dev
	mount -t tmpfs -o mode=755 dev /run/dev
	cd /run/dev
	while read -r name major minor; do mknod -m 666 "$name" c "$major" "$minor"; done <<-END
		null 1 3
		zero 1 5
		full 1 7
		random 1 8
		urandom 1 9
		tty 5 0
		nvidiactl 1 3
	END
	for gpu in 0 1 2 3; do mknod -m 666 "nvidia$gpu" c 1 3; done
	ln -s /proc/self/fd fd
	ln -s fd/0 stdin
	ln -s fd/1 stdout
	ln -s fd/2 stderr
	ln -s pts/ptmx ptmx
	mkdir pts shm
	mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts pts
	mount -t tmpfs -o mode=1777 shm shm
	cd /
	mount --move /run/dev /dev
}

install_gpus() {
	mkdir /run/fakenvml
	cp "$state/nvml/current/libnvidia-ml.so.1" /run/fakenvml/
	mount --bind "$state/node-bin" /usr/local/bin
}

# SLURM's library with this cluster's name for the groups of the freezer, if it has a name of its own.
mount_library() {
	local library
	[ -e "$state/bin/libslurmfull.so" ] || return 0
	library=$(compgen -G '/usr/lib/*/slurm-wlm/libslurmfull.so')
	mount --bind "$state/bin/libslurmfull.so" "$library"
}

connect() {
	ip link set lo up
	[ "$host" = login ] && return
	ip addr add "$ip/16" dev eth0
	ip link set eth0 up
}

as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }

start_daemons() {
	as munge /usr/sbin/munged
	case $host in
	ctl) as slurm /usr/sbin/slurmctld ;;
	login) /usr/sbin/sshd -E /var/log/sshd.log ;;
	*)
		/usr/sbin/sshd -E /var/log/sshd.log
		/usr/sbin/slurmd -N "$host"
		;;
	esac
}

mount_etc
mount_shared_and_own
mount_run
if is_node; then
	mount_dev
	install_gpus
	mount_library
fi
connect
start_daemons
