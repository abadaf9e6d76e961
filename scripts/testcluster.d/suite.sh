# shellcheck shell=bash
# A cluster of another Debian release than the machine's, with that release's SLURM and OpenSSH: TESTCLUSTER_SUITE=trixie.
# debootstrap makes the release's tree once, below $TREES. Each cluster has a mount namespace in which that tree is /, and a
# file keeps the namespace: each verb enters it and does there what it does on the machine. A chroot would not do, since
# nsenter leaves it.

SUITE=${TESTCLUSTER_SUITE:-}
TREES=${TESTCLUSTER_TREES:-/var/cache/nvnodetop-testcluster}
MIRROR=http://deb.debian.org/debian
# In a tree: a file with the name of its suite, these scripts, and nvml.h, since it has no Go to ask where that is.
NAME_OF_SUITE=/.testcluster-suite
SCRIPTS_IN_TREE=/usr/local/lib/testcluster
INCLUDE_IN_TREE=/usr/local/include
# A mount of its own: only a private one can keep a namespace.
KEPT=/run/nvnodetop-testcluster$NUMBER-root

# own_suite: prints the suite whose tree is /, or nothing on the machine itself.
own_suite() { cat "$NAME_OF_SUITE" 2>/dev/null || true; }

# kept_suite: prints the suite of this cluster, or nothing if it is the machine's or none is up.
kept_suite() { cat "$KEPT/suite" 2>/dev/null || true; }

# dispatch VERB…: does VERB on the machine, or in the tree of the cluster's suite. TESTCLUSTER_SUITE matters to install and
# up only: the other verbs take the cluster that is up.
dispatch() {
	if [ -n "$(own_suite)" ]; then
		"cmd_$1" "${@:2}"
		return
	fi
	case $1 in
	install)
		[ -z "$SUITE" ] || {
			[ $# -eq 1 ] || die "install --jobs is for this machine's own release: unset TESTCLUSTER_SUITE" 2
			install_suite
			return
		}
		;;
	up)
		root_is_wanted || dispatch down
		[ -z "$SUITE" ] || [ -n "$(kept_suite)" ] || keep_root
		;;
	esac
	if [ -z "$(kept_suite)" ]; then
		"cmd_$1" "${@:2}"
		return
	fi
	case $1 in
	put) put_from_machine "${@:2}" ;;
	down)
		in_kept_root down
		drop_root
		;;
	*) in_kept_root "$@" ;;
	esac
}

# in_kept_root VERB…: the cluster's own scripts do VERB.
in_kept_root() { nsenter "--mount=$KEPT/mnt" -- "$SCRIPTS_IN_TREE/testcluster" "$@"; }

# put_from_machine FILE [NAME]: of the machine's files the tree has those in /tmp only.
put_from_machine() {
	local file=${1:-} copy status=0
	[ -f "$file" ] || { in_kept_root put; return; }
	copy=$(mktemp /tmp/testcluster.XXXXXX)
	cp "$file" "$copy"
	in_kept_root put "$copy" "${2:-$(basename "$file")}" || status=$?
	rm -f "$copy"
	return $status
}

# root_is_wanted: the cluster is of the suite that is wanted, and these scripts made its root.
root_is_wanted() {
	[ "$(kept_suite)" = "$SUITE" ] || return 1
	[ -z "$SUITE" ] || [ "$(version)" = "$(cat "$KEPT/version")" ]
}

# install_suite makes the tree, unless it is there, and installs in it what `up` needs.
install_suite() {
	local tree=$TREES/$SUITE
	[[ $SUITE =~ ^[a-z]+$ ]] || die "TESTCLUSTER_SUITE is \"$SUITE\": want the name of a Debian release, such as trixie" 2
	[ -e "$tree" ] || make_tree "$tree"
	in_new_root "$tree" -- "$SCRIPTS_IN_TREE/testcluster" install
}

# make_tree DIR: an interrupted one is never taken for a whole one. For releases that this debootstrap does not know, the
# scripts of sid do.
make_tree() {
	command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends debootstrap ||
		die "debootstrap not found: install it, or unset TESTCLUSTER_SUITE"
	rm -rf "$1.new"
	mkdir -p "$1.new"
	debootstrap --variant=minbase "$SUITE" "$1.new" "$MIRROR" sid || die "debootstrap cannot make $SUITE: see $1.new/debootstrap/debootstrap.log"
	# A mirror may have lists of a release in the making that are past their date.
	echo 'Acquire::Check-Valid-Until "false";' >"$1.new/etc/apt/apt.conf.d/testcluster"
	echo "$SUITE" >"$1.new$NAME_OF_SUITE"
	mv "$1.new" "$1"
}

# in_new_root TREE UNSHARE-OPTIONS -- CMD…: runs CMD in a new mount namespace in which TREE is /, with the machine's devices and /tmp.
in_new_root() {
	local tree=$1 options=() include
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	include=$("$here/fakenvml/header") || die "cannot find nvml.h"
	# shellcheck disable=SC2016  # expanded by the inner shell
	unshare "${options[@]:--m}" --propagation private bash -ec '
		cd "$1"
		mount --bind . .
		cd "$1"
		for dir in dev proc sys tmp; do mount --rbind "/$dir" "$dir"; done
		mount -t tmpfs -o mode=755 run run
		mkdir -p ".$3"
		mount --bind "$2" ".$3"
		mount --bind "$4" ".$5"
		cp -L /etc/resolv.conf etc/
		pivot_root . mnt
		cd /
		umount -l /mnt
		shift 5
		exec "${@:2}"
	' bash "$tree" "$here" "$SCRIPTS_IN_TREE" "$include" "$INCLUDE_IN_TREE" "$@"
}

# keep_root makes the namespace of this cluster.
keep_root() {
	local tree=$TREES/$SUITE
	[ -e "$tree" ] || die "$tree is missing; run testcluster install"
	! mountpoint -q "$KEPT" || drop_root
	mkdir -p "$KEPT"
	mount -t tmpfs -o mode=700 testcluster "$KEPT"
	mount --make-private "$KEPT"
	touch "$KEPT/mnt"
	in_new_root "$tree" "--mount=$KEPT/mnt" -- true || die "cannot make $tree the root of a namespace"
	version >"$KEPT/version"
	echo "$SUITE" >"$KEPT/suite"
}

drop_root() {
	! mountpoint -q "$KEPT/mnt" || umount "$KEPT/mnt"
	umount -l "$KEPT"
	rmdir "$KEPT"
}
