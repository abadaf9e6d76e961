# shellcheck shell=bash
# Each fault has a function, and one that heals it. Faults act on a running host, if possible from inside.

list_faults() {
	cat <<'HELP'
testcluster fault FAULT …; testcluster heal HOST heals everything. H is node01 …, for network faults also ctl.

network    linkdown H | linkup H                unplug the cable of H | plug it in
           drop H | undrop H                    H drops all packets, both ways
           dropssh H | undrop H                 H drops packets to port 22 only; SLURM works
           reject H | undrop H                  connection refused on port 22
           loss H PERCENT | undrop H            random packet loss, both ways
           delay H MS [JITTER_MS] | delay H 0   one-way delay, each way
sshd       stopsshd H | contsshd H              SIGSTOP | SIGCONT for all sshd, including the listener
           stopsession H [USER] | contsshd H    SIGSTOP for the sessions (of USER) only; new logins work
           killsshd H | startsshd H             sshd and its sessions end | sshd starts
           killsession H [USER]                 the sessions (of USER) end; new logins work
login      nokey H | keyok H                    no key is accepted
           deny H USER | undeny H               USER may not log in
           hostkey H | hostkeyback H            H has a new host key | the old one
           unknownkey H | knownkey H            login forgets the host key of H | knows it again
           adopt H | unadopt H                  pam_slurm_adopt: only users with a job on H may log in
           otp H CODE… | otpok H                only one-time codes are accepted, asked by PAM; each of these once
           sshd H LINES | sshdok H              any lines of sshd_config; ";" separates them
           noisy H [USER] | quiet H             Banner, sshrc on stdout, echo in USER's .bashrc (alice)
probe      killprobe H                          kill -9 for nvnodetop's probes on H
           killprobes H | probesok H            kill -9 for each probe that starts on H, too
           stopprobe H | contprobe H            SIGSTOP | SIGCONT for them
storage    nospace H [USER] | placesok H        full: ~USER/.cache (alice), /tmp, /var/tmp, /dev/shm, /run/user
           noexec H [USER] | placesok H         mounted noexec: the same places
           squat H [USER] | placesok H          ~USER/.cache read-only, and bob's directories in the others
           garbage H | garbageok H              prints the probe's first line, then nonsense
           flood H | garbageok H                the same, then one line of 100 MB
           disk H | nodisk H                    /run/frozen is a disk of its own, which all may write
           freeze H | thaw H                    who writes to that disk waits in state D
GPUs       nolib H | libok H                    libnvidia-ml.so.1 is missing
           olddriver H [VARIANT] | libok H      the library of an older driver: r535, r470 or old (450)
           mismatch H | nodriver H | nvmlok H   NVML: driver/library mismatch | driver not loaded
           gpulost H [GPU] | nvmlok H           GPU (2) has fallen off the bus
           nvml H LINES | nvmlok H              any scenario of scripts/fakenvml/README.md; ";" separates lines
job        jobmemory H LIMIT USED | jobmemoryok H   the job on H has a cgroup with a limit and uses that many MiB of it
           sluid H [numbers] | sluidok H        cgroups of later jobs as SLURM 26.05 has them [CgroupJobIdPaths=yes]
           leftover H JOB | leftoverok H        alice's gpuwork runs on as if job JOB had started it
host       poweroff H | poweron H               everything on H ends at once | it boots
           drain H [REASON] | resume H          as an admin would
           ctldstop | ctldcont                  SIGSTOP | SIGCONT for slurmctld
           ctldkill | ctldstart                 kill -9 for slurmctld | it starts
           ctldaccounts | ctldnoaccounts        slurmdbd keeps accounts of jobs | nobody does, as at first
           ctldusage | ctldnousage              … and what tasks use, each second, and GPUs | nobody does, as at first
           ctldtokens | ctldnotokens            slurmctld takes tokens (auth/jwt) | munge only, as at first
           ctldswitches | ctldnoswitches        topology/tree, four nodes a leaf switch | no topology, as at first
           ctldshards | ctldnoshards            16 shards on each node beside its GPUs | none, as at first

A fault that finds no process (no session, no probe) exits 1.
HELP
}

cmd_fault() {
	local fault=${1:-} host=${2:-ctl}
	[ -n "$fault" ] || { list_faults; return; }
	[ "$(type -t "fault_$fault")" = function ] || die "unknown fault \"$fault\"; testcluster fault lists them" 2
	[[ $fault == ctld* || $# -ge 2 ]] || die "usage: testcluster fault $fault HOST …" 2
	[ "$fault" = poweron ] || need_host "$host"
	"fault_$fault" "$host" "${@:3}"
}

# Network

fault_linkdown() { in_login_net ip link set "v-$1" down; }
fault_linkup() { in_login_net ip link set "v-$1" up; }

fault_drop() {
	in_host "$1" iptables -I INPUT -i eth0 -j DROP
	in_host "$1" iptables -I OUTPUT -o eth0 -j DROP
}
fault_dropssh() { in_host "$1" iptables -I INPUT -p tcp --dport 22 -j DROP; }
fault_reject() { in_host "$1" iptables -I INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset; }
fault_loss() {
	local chance
	chance=$(awk -v percent="${2:?PERCENT}" 'BEGIN { printf "%.4f", percent / 100 }')
	in_host "$1" iptables -I INPUT -i eth0 -m statistic --mode random --probability "$chance" -j DROP
	in_host "$1" iptables -I OUTPUT -o eth0 -m statistic --mode random --probability "$chance" -j DROP
}
fault_undrop() { in_host "$1" iptables -F; }

# The cable of H leaves the switch for a pair of new ends: v-H <- netdelay -> d-H = x-H - br0.
fault_delay() {
	local host=$1 ms=${2:?MS} end
	in_host login pkill -f "^$STATE/bin/netdelay v-$host " || true
	in_login_net ip link del "d-$host" 2>/dev/null || true
	in_login_net ip link set "v-$host" master br0
	[ "$ms" != 0 ] || return 0
	in_login_net ip -batch - <<-END
		link add d-$host type veth peer name x-$host
		link set v-$host nomaster
		link set x-$host master br0 up
		link set d-$host up
	END
	# A packet socket would see frames larger than a wire carries, and unfinished checksums.
	for end in "d-$host" "x-$host" "v-$host"; do no_offloads in_login_net "$end"; done
	no_offloads "in_host $host" eth0
	in_host login setsid "$STATE/bin/netdelay" "v-$host" "d-$host" "$ms" "${3:-0}" </dev/null >/dev/null 2>&1 &
}
# shellcheck disable=SC2086  # $1 is a command with its words
no_offloads() { $1 ethtool -K "$2" tx off gso off tso off gro off >/dev/null 2>&1 || true; }

# sshd

listener_pid() { in_host "$1" cat /run/sshd.pid 2>/dev/null; }
# The sshd of a session is called "sshd: USER …", from OpenSSH 9.8 on "sshd-session: USER …"; that of the listener has a slash there.
session_of() { echo "^sshd[a-z-]*: ${1:-[a-z]}"; }

# SSHD matches the names of all parts of sshd: its sessions have programs of their own from OpenSSH 9.8 on.
SSHD='^sshd(-[a-z]+)?$'
fault_stopsshd() { in_host "$1" pkill -STOP "$SSHD"; }
fault_contsshd() { in_host "$1" pkill -CONT "$SSHD"; }
fault_stopsession() { in_host "$1" pkill -STOP -f "$(session_of "${2:-}")"; }
fault_killsshd() { in_host "$1" pkill "$SSHD"; }
fault_startsshd() { in_host "$1" /usr/sbin/sshd -E /var/log/sshd.log; }
fault_killsession() { in_host "$1" pkill -KILL -f "$(session_of "${2:-}")"; }

# reload_sshd returns when sshd listens again: it writes its pid file after that.
reload_sshd() {
	local pid
	pid=$(listener_pid "$1") || return 0
	in_host "$1" rm -f /run/sshd.pid
	in_host "$1" kill -HUP "$pid"
	retry 5 in_host "$1" test -s /run/sshd.pid || die "sshd of $1 did not come back"
}

# sshd_option HOST NAME LINE: puts LINE into its own file, so that faults do not interfere.
sshd_option() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host "$1" sh -c 'mkdir -p /etc/ssh/sshd_config.d && printf "%s\n" "$2" >"/etc/ssh/sshd_config.d/$1.conf"' sh "$2" "$3"
	reload_sshd "$1"
}
no_sshd_option() {
	in_host "$1" rm -f "/etc/ssh/sshd_config.d/$2.conf"
	reload_sshd "$1"
}

# The probe

# PROBE matches the command lines of programs named nvnodetop… with the argument probe, or nvnodetop-probe…, but not of
# shells that mention them.
PROBE='^[^ ]*nvnodetop[^ ]* (.* )?probe( |$)|^([^ ]*/)?nvnodetop-prob'
fault_killprobe() { in_host "$1" pkill -KILL -f "$PROBE"; }
fault_killprobes() {
	fault_killprobe "$1"
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host "$1" setsid sh -c 'while sleep 0.05; do pkill -KILL -f "$1"; done' kill-probes "$PROBE" </dev/null >/dev/null 2>&1 &
}
fault_probesok() { in_host "$1" pkill -f '^sh -c .* kill-probes ' || true; }
fault_stopprobe() { in_host "$1" pkill -STOP -f "$PROBE"; }
fault_contprobe() { in_host "$1" pkill -CONT -f "$PROBE"; }

# Replaces the probe by the protocol's first line and something that is not the protocol.
fault_garbage() { sshd_option "$1" garbage "ForceCommand printf '\\036nvnodetop-probe/1\\nSegmentation fault\\n'; sleep 60"; }
fault_flood() { sshd_option "$1" garbage "ForceCommand printf '\\036nvnodetop-probe/1\\n'; head -c 100M /dev/zero | tr '\\0' x; sleep 60"; }
fault_garbageok() { no_sshd_option "$1" garbage; }

# Places where the probe may be copied to

probe_places() { printf '%s\n' "/home/$1/.cache" /tmp /var/tmp /dev/shm /run/user; }

# cover HOST NAME OPTIONS USER: mounts a small tmpfs named NAME over each place.
cover() {
	local place
	fault_placesok "$1"
	in_host "$1" setpriv --reuid="$4" --regid="$4" --init-groups mkdir -p "/home/$4/.cache"
	in_host "$1" mkdir -p /run/user
	for place in $(probe_places "$4"); do in_host "$1" mount -t tmpfs -o "mode=1777,$3" "$2" "$place"; done
}
# The smallest tmpfs has one page; a file fills it.
fault_nospace() {
	local user=${2:-alice} place
	cover "$1" testcluster-nospace size=4k "$user"
	for place in $(probe_places "$user"); do
		in_host "$1" dd if=/dev/zero "of=$place/.full" bs=4k count=1 status=none
	done
}
fault_noexec() { cover "$1" testcluster-noexec noexec "${2:-alice}"; }
# The home cannot be written, and bob has the places in /tmp and /dev/shm.
fault_squat() {
	local user=${2:-alice} uid
	uid=$(in_host "$1" id -u "$user")
	cover "$1" testcluster-nowrite size=4m "$user"
	in_host "$1" install -d -o bob -m 755 "/tmp/nvnodetop-$uid" "/dev/shm/nvnodetop-$uid"
	in_host "$1" mount -o remount,ro "/home/$user/.cache"
}
fault_placesok() {
	in_host "$1" sh -c "awk '/^testcluster-no/ { print \$2 }' /proc/mounts | xargs -r umount -l"
	in_host "$1" sh -c '[ ! -d /run/user ] || rmdir /run/user'
}

# A node's /dev is its own, so the loop device gets another name there. The kernel keeps a frozen file system although
# nothing has it mounted: it must thaw first.
fault_disk() {
	local image=$STATE/hosts/$1/disk device
	truncate -s 8M "$image"
	mkfs.ext4 -q "$image"
	device=$(losetup --show -f "$image")
	in_host "$1" sh -c 'mkdir -p /run/frozen && rm -f /dev/disk && mknod /dev/disk b 7 "$1"' sh "${device#/dev/loop}"
	in_host "$1" sh -c 'mount /dev/disk /run/frozen && chmod 1777 /run/frozen'
	losetup -d "$device" # when it is no longer mounted
}
fault_freeze() { in_host "$1" fsfreeze -f /run/frozen; }
fault_thaw() { in_host "$1" sh -c '! mountpoint -q /run/frozen || fsfreeze -u /run/frozen 2>/dev/null || true'; }
fault_nodisk() {
	fault_thaw "$1"
	in_host "$1" sh -c '! mountpoint -q /run/frozen || umount -l /run/frozen'
	rm -f "$STATE/hosts/$1/disk"
}

# GPUs

use_library() {
	in_host "$1" cp "$STATE/nvml/$2/libnvidia-ml.so.1" /run/fakenvml/new
	in_host "$1" mv /run/fakenvml/new /run/fakenvml/libnvidia-ml.so.1
}
fault_nolib() { in_host "$1" rm -f /run/fakenvml/libnvidia-ml.so.1; }
fault_olddriver() { use_library "$1" "${2:-old}"; }
fault_libok() { use_library "$1" current; }

fault_nvml() {
	# Rename it into place: the library must never read half a scenario.
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host "$1" sh -c 'printf "%s\n" "$1" | tr ";" "\n" >/run/scenario.new && mv /run/scenario.new /run/fakenvml.scenario' sh "${2:?LINES}"
}
fault_mismatch() { fault_nvml "$1" 'init 18'; }
fault_nodriver() { fault_nvml "$1" 'init 9'; }
fault_gpulost() { fault_nvml "$1" "gpu ${2:-2} lost"; }
fault_nvmlok() { in_host "$1" rm -f /run/fakenvml.scenario; }

# Jobs

# memory_group HOST: prints the cgroup for jobs on HOST, in the machine's hierarchy for memory.
memory_group() {
	local mount
	mount=$(findmnt -n -o TARGET -t cgroup -O memory | head -n 1) && [ -n "$mount" ] || die "this machine has no cgroup version 1 for memory"
	echo "$mount$(sed -n 's/^[0-9]*:memory://p' "/proc/$(pid_of "$1")/cgroup")/testcluster$NUMBER-$1"
}
fault_jobmemory() {
	local id group pid
	id=$(in_host login squeue -h -w "$1" -t R -o %A | head -n 1)
	[ -n "$id" ] || die "no job runs on $1"
	group=$(memory_group "$1")/job_$id
	! has_sluids "$1" || group=$(memory_group "$1")/$(sluid_of "$id")
	mkdir -p "$group"
	echo "${2:?LIMIT}M" >"$group/memory.limit_in_bytes"
	for pid in $(in_host "$1" pgrep -x gpuwork); do in_host "$1" sh -c 'echo "$1" >"$2"' sh "$pid" "$group/cgroup.procs"; done
	in_host "$1" sh -c 'echo $$ >"$1" && exec head -c "$2M" /dev/zero >/dev/shm/testcluster.full' sh "$group/cgroup.procs" "${3:?USED}"
}
fault_jobmemoryok() {
	local parent group pid
	parent=$(memory_group "$1") || return 0
	in_host "$1" rm -f /dev/shm/testcluster.full
	[ -d "$parent" ] || return 0
	for group in "$parent"/*/; do
		while read -r pid; do echo "$pid" >"$(dirname "$parent")/cgroup.procs" || true; done <"$group/cgroup.procs"
		rmdir "$group"
	done
	rmdir "$parent"
}

fault_leftover() {
	as_user alice /home/alice "$1" env "SLURM_JOB_ID=${2:?JOB}" setsid -f gpuwork 86400 </dev/null >/dev/null 2>&1
}
fault_leftoverok() { in_host "$1" pkill -f '^gpuwork 86400' || true; }

# Hosts and SLURM

fault_poweroff() {
	local host=$1
	[ "$host" != login ] || die "login is the switch too; use down" 2
	kill -9 "$(pid_of "$host")"
	retry 10 not_alive "$host" || die "cannot end $host"
	# The kernel removes the cable some time after the host; remove it now.
	in_login_net ip link del "v-$host" 2>/dev/null || true
}
not_alive() { ! alive "$1"; }
fault_poweron() {
	lock
	alive "$1" || start_hosts "$1"
}

fault_drain() { in_host login scontrol update "NodeName=$1" State=DRAIN "Reason=${2:-testing}"; }
fault_resume() { in_host login scontrol update "NodeName=$1" State=RESUME; }

fault_ctldstop() { in_host ctl pkill -STOP -x slurmctld; }
fault_ctldcont() { in_host ctl pkill -CONT -x slurmctld; }
fault_ctldkill() { in_host ctl pkill -KILL -x slurmctld; }
fault_ctldstart() {
	as_slurm /usr/sbin/slurmctld 2>>"$STATE/hosts/ctl/log/boot.log"
}
