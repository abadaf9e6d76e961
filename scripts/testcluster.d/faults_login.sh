# shellcheck shell=bash
# Faults of logins: keys, host keys, PAM, and what sshd and shells print. faults.sh lists them.

fault_nokey() { sshd_option "$1" nokey "AuthorizedKeysFile none"; }
fault_keyok() { no_sshd_option "$1" nokey; }
fault_deny() { sshd_option "$1" deny "DenyUsers ${2:?USER}"; }
fault_undeny() { no_sshd_option "$1" deny; }

fault_hostkey() {
	in_host "$1" sh -c 'rm -f /etc/ssh/ssh_host_ed25519_key* && ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key'
	reload_sshd "$1"
}
fault_hostkeyback() {
	in_host "$1" install -m 600 "$STATE/keys/$1" /etc/ssh/ssh_host_ed25519_key
	in_host "$1" install -m 644 "$STATE/keys/$1.pub" /etc/ssh/ssh_host_ed25519_key.pub
	reload_sshd "$1"
}

# Several hosts may have faults injected at the same time, and all share this file.
# shellcheck disable=SC2016  # expanded by the inner shell
fault_unknownkey() { known_hosts 'sed -i "/^$1,/d" /etc/ssh/ssh_known_hosts && ! ssh-keygen -F "$1" -f /etc/ssh/ssh_known_hosts' "$1"; }
fault_knownkey() {
	# shellcheck disable=SC2016  # expanded by the inner shell
	known_hosts 'sed -i "/^$1,/d" /etc/ssh/ssh_known_hosts && grep "^$1," "$2" >>/etc/ssh/ssh_known_hosts' "$1" "$STATE/etc/ssh/ssh_known_hosts"
}
known_hosts() { in_host login flock /run/known_hosts.lock sh -c "$1" sh "${@:2}"; }

fault_adopt() {
	fault_unadopt "$1"
	in_host "$1" sed -i 's/^@include common-account/&\naccount required pam_slurm_adopt.so action_no_jobs=deny/' /etc/pam.d/sshd
	in_host "$1" grep -q pam_slurm_adopt /etc/pam.d/sshd || die "/etc/pam.d/sshd of $1 has no place for pam_slurm_adopt"
}
fault_unadopt() { in_host "$1" sed -i '/pam_slurm_adopt/d' /etc/pam.d/sshd; }

# shellcheck disable=SC2016  # expanded by the inner shell
fault_otp() {
	fault_otpok "$1"
	in_host "$1" sh -c 'printf "%s\n" "$@" >/run/otp.codes' sh "${@:2}"
	in_host "$1" sh -c 'printf "%s\n" "#!/bin/sh" "code=\$(tr -d \"\\0\")" "grep -qx \"\$code\" /run/otp.codes && sed -i \"/^\$code\$/d\" /run/otp.codes" >/run/otp && chmod 755 /run/otp'
	in_host "$1" sed -i '/^@include common-auth/iauth [success=done ignore=ignore default=die] pam_exec.so quiet expose_authtok /run/otp' /etc/pam.d/sshd
	in_host "$1" grep -q /run/otp /etc/pam.d/sshd || die "/etc/pam.d/sshd of $1 has no place for pam_exec"
	sshd_option "$1" otp "KbdInteractiveAuthentication yes
AuthenticationMethods keyboard-interactive"
}
fault_otpok() {
	in_host "$1" sed -i '/pam_exec.so quiet expose_authtok/d' /etc/pam.d/sshd
	in_host "$1" test ! -e /etc/ssh/sshd_config.d/otp.conf || no_sshd_option "$1" otp
}

fault_sshd() { sshd_option "$1" lines "${2//;/$'\n'}"; }
fault_sshdok() { no_sshd_option "$1" lines; }

# .bashrc is in the shared home, so its line checks the host name. It must come first, before the test for a terminal.
fault_noisy() {
	local user=${2:-alice}
	fault_quiet "$1"
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_host "$1" sh -c 'echo "*** Authorized users only ***" >/etc/issue.net
		echo "echo Welcome to $(hostname): 93% of your quota is used" >/etc/ssh/sshrc'
	in_host "$1" sed -i "1i [ \"\$(hostname)\" != $1 ] || echo 'loading modules: cuda/12.4' # testcluster noise on $1" "/home/$user/.bashrc"
	sshd_option "$1" banner "Banner /etc/issue.net"
}
fault_quiet() {
	in_host "$1" rm -f /etc/ssh/sshrc
	in_host "$1" sh -c "sed -i '/testcluster noise on $1/d' /home/*/.bashrc"
	no_sshd_option "$1" banner
}
