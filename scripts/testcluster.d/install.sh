# shellcheck shell=bash
# The Debian packages that the cluster needs.

PACKAGES=(slurmd slurmctld slurmdbd mariadb-server-core slurm-client slurm-wlm-basic-plugins slurm-wlm-jwt-plugin munge openssh-server openssh-client libpam-slurm-adopt
	iproute2 iptables ethtool procps util-linux e2fsprogs gcc libc6-dev csh tcsh fish zsh tmux python3)

# missing_parts: prints what `up` needs and this machine lacks, one name per line.
missing_parts() {
	local name
	for name in slurmd slurmctld slurmdbd mariadbd sbatch munged /usr/sbin/sshd ssh ssh-keygen iptables ethtool ip pgrep nsenter setpriv mkfs.ext4 gcc bsd-csh tcsh fish zsh tmux python3; do
		command -v "$name" >/dev/null || echo "$name"
	done
	[ -e /usr/include/stdio.h ] || echo stdio.h
	compgen -G '/usr/lib/*/slurm-wlm/auth_jwt.so' >/dev/null || echo auth_jwt.so
	[ -n "$(compgen -G '/lib/security/pam_slurm_adopt.so' || compgen -G '/lib/*/security/pam_slurm_adopt.so')" ] || echo pam_slurm_adopt.so
}

# What the programs of test/jobs need: PyTorch and its kin take 1 GB.
JOB_PACKAGES=(python3-torch python3-mpi4py openmpi-bin python3-distributed python3-ipykernel python3-jupyter-client python3-setproctitle python3-filelock bubblewrap)

# missing_for_jobs: prints those of JOB_PACKAGES that this machine lacks, one per line.
missing_for_jobs() {
	local name
	for name in "${JOB_PACKAGES[@]}"; do
		dpkg -s "$name" 2>/dev/null | grep -q '^Status: install ok installed$' || echo "$name"
	done
}

cmd_install() {
	case "$#,${1:-}" in
	0,) install_cluster ;;
	1,--jobs) install_cluster && install_jobs ;;
	*) die "usage: testcluster install [--jobs]" 2 ;;
	esac
}

install_jobs() {
	[ -n "$(missing_for_jobs)" ] || return 0
	forbid_services
	trap allow_services EXIT
	apt_install "${JOB_PACKAGES[@]}" || { apt-get update -q && apt_install "${JOB_PACKAGES[@]}"; } || die "cannot install the packages"
	[ -z "$(missing_for_jobs)" ] || die "still missing after the installation: $(missing_for_jobs | tr '\n' ' ')"
}

install_cluster() {
	[ -n "$(missing_parts)" ] || return 0
	command -v apt-get >/dev/null || die "apt-get not found: the cluster needs Debian's packages ${PACKAGES[*]}"
	forbid_services
	trap allow_services EXIT
	# The package lists may be missing or too old: refresh them only when the first attempt fails.
	apt_install "${PACKAGES[@]}" || { apt-get update -q && apt_install "${PACKAGES[@]}"; } || die "cannot install the packages"
	[ -z "$(missing_parts)" ] || die "still missing after the installation: $(missing_parts | tr '\n' ' ')"
}

apt_install() { DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"; }

# No daemon of these packages may start on the machine itself: policy-rc.d tells Debian so.
forbid_services() {
	[ ! -e /usr/sbin/policy-rc.d ] || return 0
	printf '#!/bin/sh\n# by nvnodetop testcluster install\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
}

allow_services() {
	if grep -qs 'by nvnodetop testcluster' /usr/sbin/policy-rc.d; then rm -f /usr/sbin/policy-rc.d; fi
}
